import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataOf, idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
const email = 'Jane.Canary@customer.example';
const canaries = ['jane.canary', 'canary doe', 'canary-metadata', 'canary-evidence', 'canary-refund'];

let world: World;
let directory: string;
let merchantId: string;
let shop: Shop;
beforeAll(async () => {
  [world, directory] = await Promise.all([
    createWorld({ REFUND_DELAY_SECONDS: '0' }),
    mkdtemp(join(tmpdir(), 'export-')),
  ]);
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true, force: true });
});

async function admin(...args: string[]): Promise<string> {
  try {
    const env = { PATH: process.env['PATH'], ...world.environment };
    return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}
const erase = (address: string) => admin('customer', 'erase', '--merchant', merchantId, '--email', address);

/** Returns the tables that contain one of the texts, with the text. */
async function findTexts(): Promise<string[]> {
  const { rows: tables } = await world.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await world.database.query<{ text: string }>(
      `SELECT lower(t::text) AS text FROM ${name} t`,
    );
    for (const canary of canaries)
      if (rows.some(({ text }) => text.includes(canary))) found.push(`${name}: ${canary}`);
  }
  return found;
}

it('a customer is erased from all that was written of finished payments, which stay as numbers', async () => {
  const customer = { email, name: 'Canary Doe', documentNumber: '12345678' };
  const payment = await paidPayment(shop, undefined, { customer, metadata: { note: 'canary-metadata' } });
  await refund(shop, payment, { amountCents: 500, metadata: { note: 'canary-refund' } });
  const dispute = idOf(
    await keyed(shop, `/v1/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' }),
  );
  const evidence = { uncategorizedText: 'canary-evidence' };
  expect((await shop.call('PUT', `/v1/disputes/${dispute}/evidence`, { evidence })).status).toBe(200);
  await world.database.query(
    `INSERT INTO dispute_files (id, merchant_id, environment, dispute_id, name, content_type, bytes, sha256)
     VALUES (gen_random_uuid(), $1, 'sandbox', $2, 'canary-evidence.pdf', 'application/pdf', '%PDF-', $3)`,
    [merchantId, dispute, '0'.repeat(64)],
  );
  const before = dataOf(await shop.call('GET', `/v1/payments/${payment}`));
  expect(await findTexts()).toEqual(
    expect.arrayContaining([
      'payments: canary doe',
      'events: canary-metadata',
      'dispute_files: canary-evidence',
    ]),
  );

  expect(await erase(email)).toContain('1 payments of this customer are open or disputed');
  expect(dataOf(await shop.call('GET', `/v1/payments/${payment}`))).toEqual(before);
  await keyed(shop, `/v1/sandbox/disputes/${dispute}/resolve`, { outcome: 'won' });
  expect(await admin('event', 'verify', '--merchant', merchantId)).toContain('"valid":true');

  const other = await paidPayment(shop, undefined, {
    customer: { email: 'other@customer.example', name: 'Other' },
  });
  expect(JSON.parse(await erase(email.toLowerCase()))).toEqual({ merchantId, payments: 1 });
  expect(await findTexts()).toEqual([]);
  const after = dataOf(await shop.call('GET', `/v1/payments/${payment}`));
  expect(after).toMatchObject({
    customer: { email: null, name: null },
    metadata: {},
    amountCents: before['amountCents'],
    reference: before['reference'],
    paidAt: before['paidAt'],
  });
  expect(dataOf(await shop.call('GET', `/v1/payments/${other}`))).toMatchObject({
    customer: { email: 'other@customer.example' },
  });
  // Both chains stay valid, and only the erasure of an event is accepted.
  expect(await admin('audit', 'verify', '--merchant', merchantId)).toContain('"valid":true');
  expect(await admin('event', 'verify', '--merchant', merchantId)).toContain('"valid":true');
  await world.database.query(
    `UPDATE events SET data = '{"amountCents":1}' WHERE payment_id = $1 AND sequence = 1`,
    [payment],
  );
  expect(await admin('event', 'verify', '--merchant', merchantId)).toContain('was changed');
  expect(await erase(email)).toMatch(/^this customer was erased on 20/);
  const { rows } = await world.database.query<{ action: string; subjects: number }>(
    `SELECT action, count(DISTINCT subject_id)::int AS subjects FROM audit_entries
     WHERE merchant_id = $1 AND action LIKE 'customer.%' GROUP BY action ORDER BY action`,
    [merchantId],
  );
  expect(rows).toEqual([
    { action: 'customer.erased', subjects: 1 },
    { action: 'customer.erasureRefused', subjects: 1 },
  ]);
});

it('an unknown or wrong address is refused', async () => {
  expect(await erase('unknown@customer.example')).toContain('no payment of this merchant has that address');
  expect(await erase('no-address')).toContain('--email must be an e-mail address');
});

it('no process may change the terms of a payment in the name of an erasure', async () => {
  const id = await paidPayment(shop, undefined, {});
  const change = (terms: string, role: string | null) =>
    world.database
      .query(
        `BEGIN; SET LOCAL card_payments.erasing = 'on'; ${role === null ? '' : `SET LOCAL ROLE ${role};`}
         UPDATE payments SET ${terms} WHERE id = '${id}'; ROLLBACK`,
      )
      .then(
        () => 'done',
        (error: unknown) =>
          world.database.query('ROLLBACK').then(() => String((error as { code?: unknown }).code)),
      );
  expect(await change(`metadata = '{"a":1}'`, null)).toBe('23514');
  expect(await change('amount_cents = 600', null)).toBe('23514');
  expect(await change(`metadata = '{}', description = 'x'`, 'card_payments_api')).toBe('23514');
});

it('a merchant is exported with all rows and without a secret', async () => {
  const file = join(directory, 'merchant.jsonl');
  const answer = JSON.parse(await admin('merchant', 'export', '--merchant', merchantId, '--file', file)) as {
    rows: Record<string, number>;
  };
  const text = await readFile(file, 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.at(-1)).toEqual({ end: { merchantId, rows: answer.rows } });
  expect(answer.rows['payments']).toBeGreaterThan(0);
  expect(lines.filter(({ table }) => table === 'payments')).toHaveLength(answer.rows['payments'] ?? 0);
  expect(text).not.toContain(shop.key);
  expect(text).not.toMatch(/_sealed|_hash|password|whsec_/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await admin('merchant', 'export', '--merchant', merchantId, '--file', file)).toContain(
    'cannot write',
  );
});
