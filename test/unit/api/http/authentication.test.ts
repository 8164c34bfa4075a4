import { authenticate, createKeyCache } from '../../../../src/api/http/authentication.ts';
import { createApiKey } from '../../../../src/crypto/api-key.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../../src/crypto/keyring.ts';
import { checksum62 } from '../../../../src/crypto/secrets.ts';
import type { Queryable } from '../../../../src/db/server/database.ts';

const keyring = createKeyring(developmentEncryptionKeys);
const known = createApiKey('live');
const secretHash = keyring.lookupHash('api-key', known.text);

/** A key store with one key, and what was asked of it. */
function openStore() {
  const asked: string[] = [];
  const query = async (statement: string, [given]: unknown[]) => {
    asked.push(statement.includes('UPDATE') ? 'update' : 'select');
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
  const database = { query } as unknown as Queryable;
  const keys = createKeyCache({ database, lookupKeyId: keyring.lookupKeyId, now: () => 0 });
  const call = (text: string) => authenticate({ keys, keyring }, ['Authorization', `Bearer ${text}`]);
  return { asked, call };
}

/** The key with another secret: its id is known. */
function withOtherSecret(text: string): string {
  const body = `${text.slice(0, text.lastIndexOf('_') + 1)}${'x'.repeat(43)}`;
  return body + checksum62(body);
}

it('a key that is there authenticates, and is asked for once', async () => {
  const { asked, call } = openStore();
  expect(await call(known.text)).toMatchObject({ keyId: known.keyId });
  expect(await call(known.text)).toMatchObject({ keyId: known.keyId });
  expect(asked).toEqual(['select']);
});

it('a known id with a wrong secret costs the very same work as an unknown id, each time', async () => {
  const [wrong, unknown] = [openStore(), openStore()];
  const otherKey = createApiKey('live').text;
  for (let time = 0; time < 3; time += 1) {
    expect(await wrong.call(withOtherSecret(known.text))).toBeNull();
    expect(await unknown.call(otherKey)).toBeNull();
    expect(wrong.asked).toEqual(unknown.asked);
  }
});

it('a known id with a wrong secret is not answered from what is kept of the key', async () => {
  const [wrong, unknown] = [openStore(), openStore()];
  await wrong.call(known.text);
  await unknown.call(known.text);
  await wrong.call(withOtherSecret(known.text));
  await unknown.call(createApiKey('live').text);
  expect(wrong.asked).toEqual(unknown.asked);
});
