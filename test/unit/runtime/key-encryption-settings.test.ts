import { randomBytes } from 'node:crypto';
import { unwrapKeys } from '../../../src/runtime/open-keys.ts';
import { readSettings } from '../../../src/runtime/settings.ts';
import { wrapKey } from '../../../src/key-encryption/key-lists.ts';
import { startTransit } from '../../support/key-services.ts';

const DATABASE_URL = 'postgres://u:p@127.0.0.1/db';
const transit = {
  ...{ DATABASE_URL, KEY_ENCRYPTION: 'vaultTransit', TRANSIT_URL: 'https://vault.example' },
  ...{ TRANSIT_KEY_NAME: 'one', TRANSIT_TOKEN: 'hvs.test-token', ENCRYPTION_KEYS: 'k1:vault:v1:AAAA' },
};
const production = {
  ...{
    ...transit,
    DEPLOYMENT: 'production',
    VAULT_SERVICE_KEY: 'a-vault-key-of-our-own',
    NETWORK_SERVICE_KEY: 'a-network-key-of-our-own',
  },
  ...{ NETWORK_CALLBACK_SECRET: `whsec_${randomBytes(32).toString('base64')}` },
  ...{ PUBLIC_URL: 'https://pay.example', VAULT_URL: 'https://v.example', NETWORK_URL: 'https://n.example' },
};

it('keys in the settings themselves are read without a call', async () => {
  const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
  const settings = readSettings({ DATABASE_URL, ENCRYPTION_KEYS });
  expect(await unwrapKeys(settings)).toEqual(settings);
});

it.each([
  [
    { TRANSIT_URL: '' },
    'TRANSIT_URL is not set: KEY_ENCRYPTION=vaultTransit needs TRANSIT_URL, TRANSIT_KEY_NAME',
  ],
  [{ TRANSIT_TOKEN: '' }, 'TRANSIT_TOKEN is not set: KEY_ENCRYPTION=vaultTransit needs'],
  [{ KEY_ENCRYPTION: 'awsKms' }, 'AWS_KMS_KEY_ID is not set: KEY_ENCRYPTION=awsKms needs AWS_KMS_KEY_ID'],
  [{ KEY_ENCRYPTION: 'gcp' }, 'KEY_ENCRYPTION: '],
  [{ TRANSIT_KEY_NAME: '../sys' }, 'TRANSIT_KEY_NAME: must be the name of a key'],
  [{ ENCRYPTION_KEYS: '' }, 'ENCRYPTION_KEYS is not set: make a wrapped key with admin keys wrap'],
  [{ ENCRYPTION_KEYS: 'k1' }, 'ENCRYPTION_KEYS must be a comma-separated list of id:wrapped key'],
  [{ ENCRYPTION_KEYS: 'k1:a,k1:b' }, 'ENCRYPTION_KEYS has an id twice'],
  [{ ENCRYPTION_KEYS: 'derived:a' }, 'ENCRYPTION_KEYS must be'],
])('a key service with %j is refused in one line', (changes, expected) => {
  expect(readSettings(transit).KEY_ENCRYPTION).toBe('vaultTransit');
  expect(() => readSettings({ ...transit, ...changes })).toThrow(expected);
  expect(() => readSettings({ ...transit, ...changes })).toThrow(/^[^\n]*$/);
});

it('production calls a key service with TLS or on a loopback address', () => {
  expect(() => readSettings(production)).not.toThrow();
  expect(() => readSettings({ ...production, TRANSIT_URL: 'http://127.0.0.1:8100' })).not.toThrow();
  expect(() => readSettings({ ...production, TRANSIT_URL: 'http://vault.example' })).toThrow('TRANSIT_URL');
  const kms = { ...production, KEY_ENCRYPTION: 'awsKms', AWS_KMS_KEY_ID: 'alias/one' };
  expect(() => readSettings({ ...kms, AWS_KMS_ENDPOINT: 'http://kms.example' })).toThrow('AWS_KMS_ENDPOINT');
});

it('production refuses a weak key that was wrapped', async () => {
  const service = await startTransit();
  try {
    const settings = { ...production, TRANSIT_URL: service.url };
    const wrapped = (key: Buffer) =>
      wrapKey(readSettings(settings), { setting: 'ENCRYPTION_KEYS', id: 'k1', key });
    const start = async (key: Buffer) =>
      unwrapKeys(readSettings({ ...settings, ENCRYPTION_KEYS: await wrapped(key) }));
    await expect(start(Buffer.alloc(32, 7))).rejects.toThrow(
      'ENCRYPTION_KEYS holds a key of one repeated byte',
    );
    await expect(start(randomBytes(32))).resolves.toMatchObject({ DEPLOYMENT: 'production' });
  } finally {
    await service.close();
  }
});
