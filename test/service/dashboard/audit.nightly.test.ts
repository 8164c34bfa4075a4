import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listAudit, recordChange } from '../../../src/db/server/audit.ts';
import { inTransaction } from '../../../src/db/server/database.ts';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');

let world: World;
let directory: string;
beforeAll(async () => {
  [world, directory] = await Promise.all([createWorld(), mkdtemp(join(tmpdir(), 'audit-'))]);
});
afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true, force: true });
});

/** Runs the operator command as a process. */
async function admin(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], ...world.environment },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Returns the output of `audit verify` for a file, without settings and database. */
async function verify(path: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      main,
      'audit',
      'verify',
      '--file',
      path,
      ...args,
    ]);
    return stdout;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}

const entries = (merchantId: string, limit = 1_000): Promise<AuditEntry[]> =>
  listAudit(world.database, { merchantId, environment: null, before: null, limit });

const note = (merchantId: string, text: string) =>
  inTransaction(world.database, (transaction) =>
    recordChange(transaction, {
      ...byOperator(),
      merchantId,
      environment: 'sandbox',
      action: 'settings.changed',
      subject: { type: 'settings', id: 'sandbox' },
      before: { text: null },
      after: { text },
    }),
  );

describe('the audit log', () => {
  it('records each change by key and operator with author, action, address and values before and after', async () => {
    const merchantId = await world.merchant();
    const key = await world.key(merchantId, 'sandbox');
    const shop = new Shop(world.baseUrl, key);
    const paid = await paidPayment(shop);
    await refund(shop, paid, { amountCents: 700 });
    await shop.call('POST', '/v1/webhook-endpoints', { url: 'https://shop.example/hooks' });
    await admin('settings', 'set', '--merchant', merchantId, '--environment', 'sandbox', '--methods', 'card');
    await admin('merchant', 'disable', '--merchant', merchantId);

    const found = await entries(merchantId);
    expect(found.map(({ sequence }) => sequence)).toEqual(found.map((_, index) => found.length - index));
    expect(found.slice(0, 4)).toMatchObject([
      {
        action: 'merchant.disabled',
        environment: null,
        actor: { kind: 'operator', name: 'operator', address: expect.any(String) },
        before: { status: 'active' },
        after: { status: 'disabled' },
      },
      {
        action: 'settings.changed',
        before: { methods: ['card', 'wallet', 'pix'] },
        after: { methods: ['card'] },
      },
      {
        action: 'webhook.created',
        actor: { kind: 'apiKey', id: key.split('_')[2], address: '127.0.0.1' },
        after: { url: 'https://shop.example/hooks' },
      },
      { action: 'refund.created', after: { paymentId: paid, amountCents: 700 } },
    ]);
    const written = JSON.stringify(found);
    expect(written).not.toContain(key);
    expect(written).not.toMatch(/whsec_|cps_(sandbox|live)_/);
  });

  it('records evidence, clocks, keys and endpoints, without their secrets', async () => {
    const merchantId = await world.merchant();
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const disputes = `/v1/sandbox/payments/${await paidPayment(shop)}/disputes`;
    const dispute = idOf(await keyed(shop, disputes, { reason: 'fraudulent' }));
    const evidence = { uncategorizedText: 'as it was' };
    expect((await shop.call('PUT', `/v1/disputes/${dispute}/evidence`, { evidence })).status).toBe(200);
    const open = String((await shop.create()).body.data?.['id']);
    await keyed(shop, `/v1/sandbox/payments/${open}/advance-clock`, { bySeconds: 60 });
    const endpoints = '/v1/webhook-endpoints';
    const endpoint = idOf(await shop.call('POST', endpoints, { url: 'https://shop.example/hooks' }));
    await shop.call('PATCH', `${endpoints}/${endpoint}`, { description: 'new' });
    await shop.call('DELETE', `${endpoints}/${endpoint}`);
    const made = await admin('key', 'create', '--merchant', merchantId, '--environment', 'sandbox');
    await admin('key', 'revoke', '--key', String(made['keyId']));

    const found = await entries(merchantId);
    expect(found.toReversed().map(({ action, subject }) => [action, subject.id])).toEqual(
      expect.arrayContaining([
        ['sandbox.payment_clock', open],
        ['dispute.evidenceStaged', dispute],
        ['webhook.created', endpoint],
        ['webhook.changed', endpoint],
        ['webhook.deleted', endpoint],
        ['key.created', made['keyId']],
        ['key.revoked', made['keyId']],
      ]),
    );
    expect(JSON.stringify(found)).not.toMatch(/whsec_|cps_(sandbox|live)_/);
  });

  it('numbers entries without a gap while many are written at once', async () => {
    const merchantId = await world.merchant();
    const before = (await entries(merchantId)).length;
    await Promise.all(Array.from({ length: 30 }, (_, index) => note(merchantId, `change ${index}`)));
    expect(await admin('audit', 'verify', '--merchant', merchantId)).toMatchObject({
      valid: true,
      entries: before + 30,
    });
  });

  it('rolls an entry back with its change', async () => {
    const merchantId = await world.merchant();
    const before = await entries(merchantId);
    await expect(
      inTransaction(world.database, async (transaction) => {
        await recordChange(transaction, {
          ...byOperator(),
          merchantId,
          environment: null,
          action: 'settings.changed',
          subject: { type: 'settings', id: 'sandbox' },
          before: null,
          after: null,
        });
        throw new Error('the change failed');
      }),
    ).rejects.toThrow('the change failed');
    await note(merchantId, 'the next');
    expect((await entries(merchantId))[0]?.sequence).toBe((before[0]?.sequence ?? 0) + 1);
  });

  it('cannot be changed, shortened or emptied in the database', async () => {
    const merchantId = await world.merchant();
    for (const statement of [
      `UPDATE audit_entries SET actor_name = 'another' WHERE merchant_id = '${merchantId}'`,
      `DELETE FROM audit_entries WHERE merchant_id = '${merchantId}'`,
      'TRUNCATE audit_entries',
    ]) {
      await expect(world.database.query(statement)).rejects.toThrow('only ever added to');
    }
  });
});

describe('audit verify', () => {
  let path: string;
  let lines: string[];
  let merchantId: string;
  beforeAll(async () => {
    merchantId = await world.merchant();
    for (const text of ['first', 'second', 'third']) await note(merchantId, text);
    path = join(directory, 'audit.jsonl');
    await admin('audit', 'export', '--merchant', merchantId, '--file', path);
    lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  });

  const changed = async (change: (all: string[]) => string[], ...args: string[]): Promise<string> => {
    const copy = join(directory, 'copy.jsonl');
    await writeFile(copy, `${change([...lines]).join('\n')}\n`);
    return verify(copy, ...args);
  };
  const edited = (line: number, edit: (entry: Record<string, unknown>) => Record<string, unknown>) =>
    changed((all) =>
      all.with(line, JSON.stringify(edit(JSON.parse(all[line] ?? '') as Record<string, unknown>))),
    );

  it('verifies an export without the service', async () => {
    expect(JSON.parse(await verify(path))).toMatchObject({
      merchantId,
      valid: true,
      entries: lines.length - 1,
    });
  });

  it('finds a change of any field', async () => {
    const entry = JSON.parse(lines[3] ?? '') as Record<string, unknown>;
    const others: Record<string, unknown> = {
      merchantId: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11',
      sequence: 40,
      at: '2030-01-01T00:00:00.000Z',
      actor: { kind: 'member', id: 'forger', name: 'forger', address: '192.0.2.1' },
      environment: 'live',
      action: 'key.revoked',
      subject: { type: 'key', id: 'another' },
      before: { text: 'another' },
      after: null,
      previousHash: 'f'.repeat(64),
      hash: 'f'.repeat(64),
      signature: Buffer.alloc(64).toString('base64'),
    };
    expect(Object.keys(others).toSorted()).toEqual(Object.keys(entry).toSorted());
    for (const [name, value] of Object.entries(others)) {
      expect({ name, answer: await edited(3, (one) => ({ ...one, [name]: value })) }).toEqual({
        name,
        answer: expect.stringContaining('is not valid'),
      });
    }
    for (const name of ['kind', 'id', 'name', 'address'] as const) {
      const answer = await edited(3, (one) => ({
        ...one,
        actor: { ...(one['actor'] as object), [name]: name === 'kind' ? 'apiKey' : 'x' },
      }));
      expect(answer).toContain('was changed after it was written');
    }
    expect(await edited(3, (one) => ({ ...one, more: 1 }))).toContain('is not an entry of an audit log');
  });

  it('finds entries that were removed, moved, repeated or cut off', async () => {
    expect(await changed((all) => all.toSpliced(2, 1))).toContain('entry 3 is missing');
    expect(await changed((all) => [all[1] ?? '', all[0] ?? '', ...all.slice(2)])).toContain(
      'entry 1 is missing',
    );
    expect(await changed((all) => all.toSpliced(1, 0, all[1] ?? ''))).toContain('entry 3 is missing');
    expect(await changed((all) => all.slice(0, -1))).toContain('does not end like an export');
    expect(await changed((all) => all.toSpliced(-2, 1))).toContain('was recorded as the last');
    expect(
      await changed((all) => [...all.slice(0, -1), all.at(-1) ?? '', all[0] ?? '', all.at(-1) ?? '']),
    ).toContain('comes after the end');
  });

  it('finds a rewritten chain by a hash that was kept elsewhere', async () => {
    const { head } = JSON.parse(await verify(path)) as { head: string };
    expect(await verify(path, '--head', head)).toContain('"valid":true');
    expect(await verify(path, '--head', 'e'.repeat(64))).toContain('not in the chain');
  });

  it('finds entries that were deleted from the database around the trigger', async () => {
    const other = await world.merchant();
    await note(other, 'to be hidden');
    await world.database.query('ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_append_only');
    await world.database.query(
      `DELETE FROM audit_entries WHERE merchant_id = $1
       AND sequence = (SELECT max(sequence) FROM audit_entries WHERE merchant_id = $1)`,
      [other],
    );
    await world.database.query('ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_append_only');
    await expect(admin('audit', 'verify', '--merchant', other)).rejects.toThrow('was recorded as the last');
  });
});
