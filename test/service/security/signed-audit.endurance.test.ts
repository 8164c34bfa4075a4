import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { auditHash } from '../../../src/crypto/audit-chain.ts';
import { isSignedBy } from '../../../src/crypto/signing.ts';
import { auditHead } from '../../../src/db/server/audit.ts';
import { inTransaction } from '../../../src/db/server/database.ts';
import type { Actor } from '../../../src/domain/audit.ts';
import { dataOf } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
});
afterAll(() => world.close());

/** Returns the output of the operator command, or its refusal. */
async function admin(...args: string[]): Promise<string> {
  try {
    const env = { PATH: process.env['PATH'], ...world.environment };
    return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}

/** Adds an entry that continues the chain, with the database rights of the API's login. */
async function forge(
  merchantId: string,
  actor: Actor,
  signature: Buffer | null,
  skip = 1,
): Promise<{ sequence: number; hash: string }> {
  const head = await auditHead(world.database, merchantId);
  if (!head) throw new Error('no chain');
  const entry = {
    merchantId,
    sequence: head.sequence + skip,
    at: '2026-11-26T00:00:00.000Z',
    actor,
    environment: null,
    action: 'key.created',
    subject: { type: 'key', id: 'forged' },
    before: null,
    after: null,
    previousHash: head.hash,
  };
  const hash = auditHash(entry);
  await inTransaction(
    world.database,
    async (transaction) => {
      await transaction.query(
        `INSERT INTO audit_entries (merchant_id, sequence, at, actor_kind, actor_id, actor_name, address, action,
           subject_type, subject_id, previous_hash, hash, signature)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'key.created', 'key', 'forged', decode($8, 'hex'), decode($9, 'hex'), $10)`,
        [
          merchantId,
          entry.sequence,
          entry.at,
          actor.kind,
          actor.id,
          actor.name,
          actor.address,
          head.hash,
          hash,
          signature,
        ],
      );
      await transaction.query(
        `UPDATE audit_heads SET sequence = $2, hash = decode($3, 'hex') WHERE merchant_id = $1`,
        [merchantId, entry.sequence, hash],
      );
    },
    'SET LOCAL ROLE card_payments_api',
  );
  return { sequence: entry.sequence, hash };
}

const member: Actor = { kind: 'member', id: 'owner', name: 'Owner', address: null };

describe('an audit entry that was inserted with the login of the API', () => {
  it.each([
    ['without a signature', null, 'it has no signature'],
    ['with an invented signature', Buffer.alloc(64, 7), 'its signature is not by the key'],
  ])('is named as forged: %s', async (_how, signature, reason) => {
    const merchantId = await world.merchant();
    expect(JSON.parse(await admin('audit', 'verify', '--merchant', merchantId))).toMatchObject({
      valid: true,
      entries: 3,
      signed: 3,
    });
    const { sequence } = await forge(merchantId, member, signature);
    const output = await admin('audit', 'verify', '--merchant', merchantId);
    expect(output).toContain(`entry ${sequence} is forged`);
    expect(output).toContain(reason);
  });

  it('is refused in the name of the operator, and where it does not follow the last one', async () => {
    const merchantId = await world.merchant();
    const operator: Actor = { kind: 'operator', id: null, name: 'operator', address: null };
    await expect(forge(merchantId, operator, null)).rejects.toMatchObject({ code: '42501' });
    await expect(forge(merchantId, member, null, 2)).rejects.toMatchObject({ code: '23514' });
    expect(await admin('audit', 'verify', '--merchant', merchantId)).toContain('"valid":true');
  });

  it('is accepted by the operator alone, as one of an earlier build', async () => {
    const merchantId = await world.merchant();
    const { sequence } = await forge(merchantId, member, null);
    const accept = (until: number) =>
      admin('audit', 'accept', '--merchant', merchantId, '--until', String(until));
    expect(await accept(sequence + 1)).toContain(`the log ends at entry ${sequence}`);
    expect(await accept(sequence)).toContain(`"unsignedUntil":${sequence}`);
    expect(await accept(1)).toContain(`"unsignedUntil":${sequence}`);
    expect(await admin('audit', 'verify', '--merchant', merchantId)).toContain('"valid":true');
    await expect(
      inTransaction(
        world.database,
        (transaction) => transaction.query('UPDATE audit_unsigned SET until_sequence = 99'),
        'SET LOCAL ROLE card_payments_api',
      ),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it('the API answers the end of the log of its own merchant, with a signature that others can verify', async () => {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const head = dataOf(await shop.call('GET', '/v1/audit/head'));
  const stored = await auditHead(world.database, merchantId);
  expect(head).toMatchObject({ ...stored, at: expect.any(String) });
  const [publicKey, signature] = [head['publicKey'], head['signature']].map((text) =>
    Buffer.from(String(text), 'base64'),
  );
  const isSigned = (hash: string): boolean =>
    isSignedBy(publicKey ?? Buffer.alloc(0), 'audit entry', hash, signature ?? Buffer.alloc(0));
  expect(isSigned(String(head['hash']))).toBe(true);
  expect(isSigned('0'.repeat(64))).toBe(false);
  const other = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  expect(dataOf(await other.call('GET', '/v1/audit/head'))['hash']).not.toBe(head['hash']);
});
