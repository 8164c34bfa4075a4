import { randomUUID } from 'node:crypto';
import { runOperation } from '../../../src/operations/idempotency.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import {
  type IdempotencyClaim,
  claimKey,
  finishKey,
  leaseMs,
  lookUpKey,
  releaseKey,
  renewLease,
  takeOverLease,
} from '../../../src/db/server/idempotency-keys.ts';
import { createMerchant } from '../../../src/db/merchants/merchants.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import { Refusal } from '../../../src/domain/refusals.ts';
import { cloneDatabase } from '../../support/world.ts';
import { byOperator } from '../../support/harness/by-operator.ts';

let database: Database;
const merchantId = randomUUID();
beforeAll(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 4, applicationName: 'test' });
  await createMerchant(database, { id: merchantId, name: 'shop', status: 'active' }, byOperator());
});
afterAll(() => database.end());

const newClaim = (): IdempotencyClaim => ({
  merchantId,
  environment: 'sandbox',
  operation: 'refund',
  key: randomUUID(),
  bodyHash: Buffer.from('body'),
});
const start = new Date();
const after = (ms: number): Date => new Date(start.getTime() + ms);
const stateOf = (claim: IdempotencyClaim, at: Date) =>
  lookUpKey(database, claim, at).then(
    ({ state }) => state,
    (error: unknown) => (error as Refusal).code,
  );

async function taken(claim = newClaim()) {
  const lease = await claimKey(database, claim, randomUUID(), start, 86_400);
  if (!lease) throw new Error('the key is not free');
  return lease;
}

describe('the lease of a key', () => {
  it('lasts as long as it is renewed', async () => {
    const lease = await taken();
    expect(await stateOf(lease.claim, after(leaseMs - 1))).toBe('idempotency_in_progress');
    expect(await renewLease(database, lease, after(leaseMs - 1))).toBe(true);
    expect(await stateOf(lease.claim, after(2 * leaseMs - 2))).toBe('idempotency_in_progress');
    expect(await stateOf(lease.claim, after(2 * leaseMs))).toBe('abandoned');
  });

  it('is taken over by one of many requests, and not before its end', async () => {
    const { claim } = await taken();
    expect(await takeOverLease(database, claim, after(leaseMs - 1))).toBeNull();
    const takers = await Promise.all(
      Array.from({ length: 4 }, () => takeOverLease(database, claim, after(leaseMs))),
    );
    expect(takers.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('is renewed, finished and released only by its new holder once it was taken over', async () => {
    const lost = await taken();
    const held = await takeOverLease(database, lost.claim, after(leaseMs));
    if (!held) throw new Error('the lease was not taken over');
    await releaseKey(database, lost);
    expect(await renewLease(database, lost, after(leaseMs))).toBe(false);
    expect(await finishKey(database, lost)).toBe(false);
    expect(await stateOf(lost.claim, after(leaseMs))).toBe('idempotency_in_progress');
    expect(await finishKey(database, held)).toBe(true);
    expect(await stateOf(lost.claim, after(leaseMs))).toBe('finished');
  });
});

it('a refused repeat does not free the key of the request that is still running', async () => {
  const claim = newClaim();
  let now = start.getTime();
  const deps = {
    database,
    keyring: createKeyring(developmentEncryptionKeys),
    now: () => now,
    idempotencyRetentionSeconds: 86_400,
  };
  let refuse = (): void => undefined;
  let finish = (): void => undefined;
  const first = runOperation(deps, claim, {
    check: () => Promise.resolve(),
    work: () => new Promise((_, reject) => (refuse = () => reject(new Refusal('payment_not_refundable')))),
  });
  first.catch(() => undefined);
  await untilClaimed(claim);
  now += leaseMs;
  const second = runOperation(deps, claim, {
    check: () => Promise.resolve(),
    work: () => new Promise<string>((resolve) => (finish = () => resolve('done'))),
  });
  await untilTakenOver(claim);
  refuse();
  await expect(first).rejects.toMatchObject({ code: 'payment_not_refundable' });
  expect(await stateOf(claim, new Date(now))).toBe('idempotency_in_progress');
  finish();
  expect(await second).toEqual({ result: 'done', replayed: true });
});

const leaseUntil = async ({ key }: IdempotencyClaim): Promise<Date | undefined> =>
  (await database.query<{ at: Date }>('SELECT lease_until AS at FROM idempotency_keys WHERE key = $1', [key]))
    .rows[0]?.at;

async function untilClaimed(claim: IdempotencyClaim): Promise<void> {
  while (!(await leaseUntil(claim))) await new Promise(setImmediate);
}

async function untilTakenOver(claim: IdempotencyClaim): Promise<void> {
  while (((await leaseUntil(claim)) ?? start) <= after(leaseMs)) await new Promise(setImmediate);
}
