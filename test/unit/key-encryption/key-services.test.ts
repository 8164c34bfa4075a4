import { randomBytes } from 'node:crypto';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { unwrapList, wrapKey } from '../../../src/key-encryption/key-lists.ts';
import { unwrapKeys } from '../../../src/runtime/open-keys.ts';
import { readKeyEncryptionSettings, readSettings } from '../../../src/runtime/settings.ts';
import { type KeyService, type AnswerMode, startKms, startTransit } from '../../support/key-services.ts';

const limits = { timeoutMs: 1_000, waitsMs: [1, 1] };
const secret = 'test-secret-access-key';
const before = { ...process.env };
beforeAll(() =>
  Object.assign(process.env, {
    ...{ AWS_ACCESS_KEY_ID: 'test-access-key', AWS_SECRET_ACCESS_KEY: secret },
    // Without them the client would look for credentials on the host.
    ...{
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/nonexistent',
      AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    },
  }),
);
afterAll(() => {
  process.env = before;
});

describe.each([
  {
    name: 'AWS KMS',
    start: startKms,
    set: (url: string, key: string) => ({
      ...{ KEY_ENCRYPTION: 'awsKms', AWS_KMS_KEY_ID: `alias/${key}` },
      ...{ AWS_KMS_REGION: 'eu-central-1', AWS_KMS_ENDPOINT: url },
    }),
    refused: 'AWS KMS did not accept the credentials: give',
    otherKey: 'AWS KMS cannot unwrap it with this key, id and setting: set AWS_KMS_KEY_ID',
    noKey: 'AWS KMS has no such key: set AWS_KMS_KEY_ID',
    away: /AWS KMS could not be reached: check AWS_KMS_REGION/,
  },
  {
    name: 'Vault',
    start: startTransit,
    set: (url: string, key: string) => ({
      ...{ KEY_ENCRYPTION: 'vaultTransit', TRANSIT_URL: url },
      ...{ TRANSIT_KEY_NAME: key, TRANSIT_TOKEN: 'hvs.test-token' },
    }),
    refused: 'Vault refused the token (403): set TRANSIT_TOKEN',
    otherKey: 'Vault cannot do it with this key, id and setting (400): set TRANSIT_KEY_NAME',
    noKey: 'Vault has no such path (404): correct TRANSIT_MOUNT',
    away: /Vault could not be reached: check TRANSIT_URL/,
  },
])('a key that $name wrapped', ({ name, start, set, refused, otherKey, noKey, away }) => {
  let service: KeyService;
  let entry: string;
  const key = randomBytes(32);
  beforeAll(async () => {
    service = await start();
    entry = await wrapKey(settingsOf('one'), { setting: 'ENCRYPTION_KEYS', id: 'k1', key }, limits);
  });
  afterAll(() => service.close());
  beforeEach(() => {
    Object.assign(service, {
      manner: 'good',
      calls: 0,
      accepts: name === 'Vault' ? 'hvs.test-token' : 'test-access-key',
    });
  });
  const settingsOf = (keyName: string, url = service.url) => readKeyEncryptionSettings(set(url, keyName));
  const unwrap = (text = entry, keyName = 'one', url?: string) =>
    unwrapList(settingsOf(keyName, url), 'ENCRYPTION_KEYS', text, limits);

  /** Returns the message of a refusal, which is one line and holds nothing secret. */
  async function complaint(work: Promise<unknown>): Promise<string> {
    const { message } = await work.then(
      () => new Error('no refusal'),
      (error: unknown) => error as Error,
    );
    for (const text of [key.toString('base64'), entry.slice(3), secret, 'hvs.test-token', 'not shown']) {
      expect(message).not.toContain(text);
    }
    expect(message).toMatch(/^ENCRYPTION_KEYS: key "\w+" was not unwrapped: [^\n]+$/);
    return message;
  }

  it('is unwrapped to the same bytes, and the entry does not hold them', async () => {
    expect(entry).not.toContain(key.toString('base64'));
    expect(await unwrap()).toBe(`k1:${key.toString('base64')}`);
    expect(service.calls).toBe(1);
  });

  it('is given to a process as its keys, look-up keys too', async () => {
    const lookup = randomBytes(32);
    const wrapped = await wrapKey(
      settingsOf('one'),
      { setting: 'LOOKUP_KEYS', id: 'l1', key: lookup },
      limits,
    );
    const read = readSettings({
      ...{ DATABASE_URL: 'postgres://u:p@127.0.0.1/db', ...set(service.url, 'one') },
      ...{ ENCRYPTION_KEYS: entry, LOOKUP_KEYS: `${wrapped},derived:k1` },
    });
    const { ENCRYPTION_KEYS, LOOKUP_KEYS } = await unwrapKeys(read, limits);
    expect(ENCRYPTION_KEYS).toBe(`k1:${key.toString('base64')}`);
    expect(LOOKUP_KEYS).toBe(`l1:${lookup.toString('base64')},derived:k1`);
    expect(createKeyring(ENCRYPTION_KEYS, LOOKUP_KEYS).lookupKeyId).toBe('l1');
  });

  it('is refused under another id and in another setting, without another try', async () => {
    expect(await complaint(unwrap(entry.replace('k1:', 'k2:')))).toContain(otherKey);
    await expect(unwrapList(settingsOf('one'), 'LOOKUP_KEYS', entry, limits)).rejects.toThrow(otherKey);
    expect(service.calls).toBe(2);
  });

  it('is refused with another key of the service, and with none', async () => {
    expect(await complaint(unwrap(entry, 'two'))).toContain(otherKey);
    expect(await complaint(unwrap(entry, 'three'))).toContain(noKey);
    expect(service.calls).toBe(2);
  });

  it('is refused to another credential, without another try', async () => {
    service.accepts = 'another';
    expect(await complaint(unwrap())).toContain(refused);
    expect(service.calls).toBe(1);
  });

  it('is unwrapped by another try when the service was not available', async () => {
    service.busyOnce = true;
    expect(await unwrap()).toBe(`k1:${key.toString('base64')}`);
    expect(service.calls).toBe(2);
  });

  it.each<[AnswerMode, RegExp, number]>([
    ['hangs', /did not answer within 0.2 s: check/, 2],
    ['redirects', /answered with a redirect \(307\): \w+ /, 1],
    ['half', /could not be reached: check|answered without a key: check/, 3],
    ['empty', /answered without a key: check/, 3],
    ['endless', /could not be reached: check|answered without a key: check/, 3],
    ['busy', /not available \(503\): /, 3],
  ])(
    'is not unwrapped by a service that %s, after a bounded number of tries',
    async (manner, expected, calls) => {
      service.manner = manner;
      const short = manner === 'hangs' ? { timeoutMs: 200, waitsMs: [1] } : limits;
      expect(await complaint(unwrapList(settingsOf('one'), 'ENCRYPTION_KEYS', entry, short))).toMatch(
        expected,
      );
      expect(service.calls).toBe(calls);
    },
  );

  it('is not unwrapped where no service listens', async () => {
    const gone = await start();
    await gone.close();
    expect(await complaint(unwrap(entry, 'one', gone.url))).toMatch(away);
  });

  it('must be a key of 32 bytes', async () => {
    const short = await wrapKey(
      settingsOf('one'),
      { setting: 'ENCRYPTION_KEYS', id: 'k1', key: randomBytes(16) },
      limits,
    );
    expect(await complaint(unwrap(short))).toContain('it is no key of 32 bytes: wrap it again');
  });
});
