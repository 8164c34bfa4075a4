import { hash, verify } from '@node-rs/argon2';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import type { Database } from '../../../src/db/server/database.ts';
import { databaseOf } from '../../support/partial.ts';

/** Jest's function for ES modules, which its types do not have. */
const mockModule = Reflect.get(import.meta.jest, 'unstable_mockModule') as (
  name: string,
  make: () => object,
) => void;

/** The hashes that a password was compared with, which are the cost of a try. */
const compared: string[] = [];
/** Resolves when a compared password may continue. */
let goOn: Promise<void> | undefined;
mockModule('@node-rs/argon2', () => ({
  hash,
  verify: async (known: string, password: string) => {
    await goOn;
    compared.push(known.replace(/\$[^$]*\$[^$]*$/, ''));
    return verify(known, password);
  },
}));
const { verifySignIn, verifyMember } = await import('../../../src/dashboard/sign-in/passwords.ts');

const member = { id: 'm', merchantId: 'c', name: 'Ada', role: 'owner' } as const;

const origin = {
  laneOf: () => ({ name: 'network:127.0.0.1', free: 3, maxSeconds: 900, isKnown: false }),
  isKnownBrowser: false,
  address: '127.0.0.1',
};

/** Returns a database with one member, who may try or must wait, or with none. */
async function databaseWith(state: 'unknown' | 'waits' | 'may try'): Promise<Database> {
  const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  const row = { ...member, passwordHash: await hash('right', cost), totpSealed: Buffer.alloc(0) };
  const query = async (sql: string) =>
    sql.includes('member_tries')
      ? { rows: state === 'may try' ? [{ failed: 1 }] : [] }
      : { rows: state === 'unknown' ? [] : [row] };
  return databaseOf(query);
}

it('a sign-in costs the same work for an unknown name, a locked member and any other member', async () => {
  const keyring = createKeyring(developmentEncryptionKeys);
  for (const [state, failed] of [
    ['unknown', 'unknown name'],
    ['waits', 'has to wait'],
    ['may try', 'wrong password'],
  ] as const) {
    const deps = { database: await databaseWith(state), keyring, now: () => 0 };
    const typed = { password: 'wrong', code: '000000' };
    expect(await verifySignIn(deps, 'ada', typed, origin)).toMatchObject({ failed });
    expect(await verifyMember(deps, { id: 's', member }, typed)).toMatchObject({ failed });
  }
  expect(compared).toEqual(Array.from({ length: 6 }, () => '$argon2id$v=19$m=19456,t=2,p=1'));
});

it('a flood of sign-ins is refused before any work, and leaves known browsers and members their turn', async () => {
  const keyring = createKeyring(developmentEncryptionKeys);
  let asked = 0;
  const answering = await databaseWith('may try');
  const database = databaseOf(async (sql) => {
    asked += 1;
    return answering.query(sql);
  });
  const deps = { database, keyring, now: () => 0 };
  const typed = { password: 'wrong', code: '000000' };
  let end = (): void => {};
  goOn = new Promise((resolve) => {
    end = resolve;
  });
  const flood = Array.from({ length: 256 }, () => verifySignIn(deps, 'ada', typed, origin));
  const settled = Promise.allSettled(flood);
  const refused = flood.map((signIn) =>
    signIn.then(
      () => 'waits',
      (error: unknown) => (error as { code: string }).code,
    ),
  );
  // The last one arrived when the queue was full.
  expect(await refused.at(-1)).toBe('rate_limited');
  // Only the sign-in whose turn it is reads or writes.
  expect(asked).toBeLessThan(8);
  const known = verifySignIn(deps, 'ada', typed, { ...origin, isKnownBrowser: true });
  const confirmed = verifyMember(deps, { id: 's', member }, typed);
  goOn = undefined;
  expect(await Promise.all([known, confirmed])).toMatchObject([
    { failed: 'wrong password' },
    { failed: 'wrong password' },
  ]);
  end();
  const results = await settled;
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(33);
});
