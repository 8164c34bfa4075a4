import {
  authenticate,
  authenticationFaults,
  createKeyCache,
} from '../../../../src/api/http/authentication.ts';
import { checksum62, createApiKey } from '../../../../src/crypto/api-key.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../../src/crypto/keyring.ts';
import { databaseOf } from '../../../support/partial.ts';

const keyring = createKeyring(developmentEncryptionKeys);
const known = createApiKey('live');
const secretHash = keyring.lookupHash('api-key', known.text);

/** Returns a key store with one key, and the queries that it received. */
function openStore() {
  const queries: string[] = [];
  const query = async (statement: string, [given]: readonly unknown[]) => {
    queries.push(statement.includes('UPDATE') ? 'update' : 'select');
    const wanted: unknown[] = Array.isArray(given) ? given : [given];
    const finds = wanted.some((one) =>
      one instanceof Buffer ? one.equals(secretHash) : one === known.keyId,
    );
    const row = {
      keyId: known.keyId,
      environment: 'live',
      secretHash,
      usable: true,
      lookupKeyId: keyring.lookupKeyId,
    };
    return { rows: finds ? [row] : [], rowCount: finds ? 1 : 0 };
  };
  const database = databaseOf(query);
  const keys = createKeyCache({ database, lookupKeyId: keyring.lookupKeyId, now: () => 0 });
  const call = (text: string) => authenticate({ keys, keyring }, ['Authorization', `Bearer ${text}`]);
  const callWith = (...headers: string[]) => authenticate({ keys, keyring }, headers);
  return { queries, call, callWith };
}

/** Returns the key with another secret; its id is known. */
function withOtherSecret(text: string): string {
  const body = `${text.slice(0, text.lastIndexOf('_') + 1)}${'x'.repeat(43)}`;
  return body + checksum62(body);
}

const invalidKey = { ok: false, fault: 'invalidKey' };

it('authenticates a stored key with one query, and notes its use beside the call', async () => {
  const { queries, call } = openStore();
  const authenticated = { ok: true, principal: { keyId: known.keyId } };
  expect(await call(known.text)).toMatchObject(authenticated);
  expect(await call(known.text)).toMatchObject(authenticated);
  expect(queries).toEqual(['select', 'update']);
});

it('a known id with a wrong secret costs the same queries as an unknown id, each time', async () => {
  const [wrong, unknown] = [openStore(), openStore()];
  const otherKey = createApiKey('live').text;
  for (let time = 0; time < 3; time += 1) {
    expect(await wrong.call(withOtherSecret(known.text))).toEqual(invalidKey);
    expect(await unknown.call(otherKey)).toEqual(invalidKey);
    expect(wrong.queries).toEqual(unknown.queries);
  }
});

it('a known id with a wrong secret is not answered from the cached key', async () => {
  const [wrong, unknown] = [openStore(), openStore()];
  await wrong.call(known.text);
  await unknown.call(known.text);
  await wrong.call(withOtherSecret(known.text));
  await unknown.call(createApiKey('live').text);
  expect(wrong.queries).toEqual(unknown.queries);
});

it.each([
  ['no header', [], 'missing'],
  ['another header', ['Host', 'Bearer'], 'missing'],
  [
    'two headers',
    ['Authorization', `Bearer ${known.text}`, 'authorization', `Bearer ${known.text}`],
    'repeated',
  ],
  ['another scheme', ['Authorization', `Basic ${known.text}`], 'notBearer'],
  ['no scheme', ['Authorization', known.text], 'notBearer'],
  ['a scheme without key', ['Authorization', 'Bearer'], 'notBearer'],
  ['two keys', ['Authorization', `Bearer ${known.text} ${known.text}`], 'notBearer'],
  ['an empty header', ['Authorization', ''], 'notBearer'],
  ['a key of another service', ['Authorization', 'Bearer sk_test_123'], 'malformedKey'],
  ['a key that is cut', ['Authorization', `Bearer ${known.text.slice(0, -1)}`], 'malformedKey'],
])('%s is refused with a message of its own, without a query', async (_what, headers, fault) => {
  const { queries, callWith } = openStore();
  expect(await callWith(...headers)).toEqual({ ok: false, fault });
  expect(queries).toEqual([]);
});

it('no message repeats the key', () => {
  expect(Object.values(authenticationFaults).join(' ')).not.toMatch(/cps_(?:sandbox|live)_[0-9A-Za-z]/);
});

describe('the cache of keys', () => {
  const maxKept = 5_000;

  /** Fills a cache with one key more than it keeps, one after the other. */
  async function overfilled() {
    const work = { reads: 0, uses: 0 };
    const clock = { now: 1_000 };
    const database = databaseOf(async (statement, [given]) => {
      if (!statement.startsWith('SELECT')) work.uses += 1;
      else work.reads += 1;
      const keyId = String(given);
      return { rows: [{ keyId, usable: true, lookupKeyId: keyring.lookupKeyId }], rowCount: 1 };
    });
    const keys = createKeyCache({ database, lookupKeyId: keyring.lookupKeyId, now: () => clock.now });
    const find = (index: number) => keys.find([Buffer.from(`key ${index}`)]);
    for (let index = 0; index <= maxKept; index += 1) await find(index);
    expect(work).toEqual({ reads: maxKept + 1, uses: maxKept + 1 });
    return { work, clock, find };
  }

  it('forgets the key that was used longest ago, and no other, when it is full', async () => {
    const { work, find } = await overfilled();
    for (let index = 1; index <= maxKept; index += 1) await find(index);
    expect(work.reads).toBe(maxKept + 1);
    await find(0);
    expect(work.reads).toBe(maxKept + 2);
  });

  it('reads a key again after a second, and notes its use once a minute', async () => {
    const { work, clock, find } = await overfilled();
    clock.now += 1_000;
    await find(maxKept);
    expect(work).toEqual({ reads: maxKept + 2, uses: maxKept + 1 });
    clock.now += 60_000;
    await find(maxKept);
    expect(work).toEqual({ reads: maxKept + 3, uses: maxKept + 2 });
  });
});
