import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import { describeSettings } from '../../../src/runtime/describe-settings.ts';
import { readCardFrameSettings, readSettings } from '../../../src/runtime/settings.ts';

const authority = fileURLToPath(import.meta.url);
const DATABASE_URL = 'postgres://user:pw@127.0.0.1/db';
const key = (text: string): string => `own:${Buffer.alloc(32, text).toString('base64')}`;
const production = {
  DATABASE_URL,
  DEPLOYMENT: 'production',
  ENCRYPTION_KEYS: key('own key'),
  VAULT_SERVICE_KEY: 'a-vault-key-of-our-own',
  NETWORK_SERVICE_KEY: 'a-network-key-of-our-own',
  NETWORK_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 'our own secret').toString('base64')}`,
  PUBLIC_URL: 'https://pay.example',
  VAULT_URL: 'https://vault.example',
  NETWORK_URL: 'https://network.example',
};

describe('settings', () => {
  it('have the contract’s defaults', () => {
    expect(readSettings({ DATABASE_URL })).toMatchObject({
      DEPLOYMENT: 'development',
      CHECKOUT_DEADLINE_SECONDS: 1800,
      CAPTURE_WINDOW_SECONDS: 600,
      IDEMPOTENCY_RETENTION_SECONDS: 86_400,
      STATUS_SOURCE: 'projection',
      WORKER_ROLES: ['payments', 'provider', 'webhooks'],
    });
  });

  it.each([
    [{}, 'DATABASE_URL is not set'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
    [{ DATABASE_URL, API_PORT: '99999' }, 'API_PORT'],
    [{ DATABASE_URL, WORKER_ROLES: 'payments,typo' }, 'unknown role "typo"'],
    [{ DATABASE_URL, CHECKOUT_DEADLINE_SECONDS: '0' }, 'CHECKOUT_DEADLINE_SECONDS'],
    [{ DATABASE_URL, WORKFLOW_CACHE_SIZE: '199' }, 'WORKFLOW_CACHE_SIZE'],
    [{ DATABASE_URL, WORKFLOW_POLLS: '101' }, 'WORKFLOW_POLLS'],
    [{ DATABASE_URL, TRUSTED_PROXIES: '0.0.0.0/0' }, 'TRUSTED_PROXIES'],
    [{ DATABASE_URL, TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES'],
    [{ DATABASE_URL, TRUSTED_PROXIES: '10.0.0.1, proxy.internal' }, 'not "proxy.internal"'],
    [{ DATABASE_URL, OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID is not set'],
    [{ DATABASE_URL, OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' }, 'OIDC_ISSUER is not set'],
  ])('refuse %j in one line that names the setting', (environment, named) => {
    expect(() => readSettings(environment)).toThrow(named);
    expect(() => readSettings(environment)).toThrow(/^[^\n]*$/);
  });

  const developmentBytes = developmentEncryptionKeys.split(':')[1] ?? '';
  const bytes = (of: Buffer): string => of.toString('base64');
  const random = bytes(
    Buffer.from('0f1e2d3c4b5a69788796a5b4c3d2e1f0112233445566778899aabbccddeeff00', 'hex'),
  );

  it.each([
    ['the development key under another id', `mine:${developmentBytes}`],
    [
      'the development key, spelled otherwise',
      `mine:${developmentBytes.replaceAll('+', '-').replaceAll('/', '_')}`,
    ],
    ['the development key behind another', `a:${random},b:${developmentBytes}`],
    ['a key of zeros', `a:${bytes(Buffer.alloc(32))}`],
    ['a key of one byte', `a:${bytes(Buffer.alloc(32, 7))}`],
    ['a key of two equal halves', `a:${bytes(Buffer.alloc(32, 'sixteen bytes!!!'))}`],
    ['the same key under two ids', `a:${random},b:${random}`],
    ['one id twice', `a:${random},a:${bytes(Buffer.alloc(32, 'own key that is another'))}`],
  ])('refuse a production with %s, and never quote it', (_title, ENCRYPTION_KEYS) => {
    const start = () => readSettings({ ...production, ENCRYPTION_KEYS });
    expect(start).toThrow('ENCRYPTION_KEYS');
    for (const entry of ENCRYPTION_KEYS.split(',')) {
      expect(start).not.toThrow(entry.slice(entry.indexOf(':') + 1));
    }
  });

  it.each([
    ['LOOKUP_KEYS', `l:${developmentBytes}`],
    ['LOOKUP_KEYS', 'derived:unknown'],
    ['LOOKUP_KEYS', production.ENCRYPTION_KEYS],
  ])('refuse a production with %s=%s', (name, value) => {
    expect(() => readSettings({ ...production, [name]: value })).toThrow(name);
  });

  it('list the trusted proxies', () => {
    expect(readSettings({ DATABASE_URL }).TRUSTED_PROXIES).toEqual([]);
    const TRUSTED_PROXIES = '10.1.2.3, 10.0.0.0/8,::1,2001:db8::/32';
    expect(readSettings({ DATABASE_URL, TRUSTED_PROXIES }).TRUSTED_PROXIES).toEqual([
      '10.1.2.3',
      '10.0.0.0/8',
      '::1',
      '2001:db8::/32',
    ]);
  });

  it('refuse an archive of payments whose events are kept', () => {
    const read = (ARCHIVE_AFTER_MONTHS: string, RETENTION_EVENTS_DAYS = '90') =>
      readSettings({ DATABASE_URL, ARCHIVE_AFTER_MONTHS, RETENTION_EVENTS_DAYS }).ARCHIVE_AFTER_MONTHS;
    expect(readSettings({ DATABASE_URL }).ARCHIVE_AFTER_MONTHS).toBeUndefined();
    expect(read('4')).toBe(4);
    expect(() => read('3')).toThrow('ARCHIVE_AFTER_MONTHS: must be at least 4 months');
    expect(() => read('4', '112')).toThrow('longer than RETENTION_EVENTS_DAYS: at least 5');
    expect(read('5', '112')).toBe(5);
  });

  it('accept a production with its own values for all of them', () => {
    expect(readSettings(production).DEPLOYMENT).toBe('production');
  });

  it.each([
    ['CHECKOUT_DEADLINE_SECONDS', '60'],
    ['CAPTURE_WINDOW_SECONDS', '60'],
    ['IDEMPOTENCY_RETENTION_SECONDS', '60'],
    ['WEBHOOK_RETRY_SCHEDULE_SECONDS', '0,1'],
    ['RATE_LIMITS', 'off'],
    ['PUBLIC_URL', 'http://pay.example'],
    ['VAULT_URL', 'http://127.0.0.1:4010'],
    ['NETWORK_URL', 'http://127.0.0.1:4020'],
    ['ENCRYPTION_KEYS', ''],
    ['VAULT_SERVICE_KEY', ''],
    ['NETWORK_SERVICE_KEY', ''],
    ['NETWORK_CALLBACK_SECRET', ''],
    ['NETWORK_CALLBACK_SECRET', 'whsec_QQ=='],
    ['NETWORK_CALLBACK_SECRET', `whsec_${Buffer.alloc(31, 'short').toString('base64')}`],
    ['VAULT_PUBLIC_URL', 'http://vault.example'],
    ['CARD_FRAME_KEY', 'too-short'],
  ])('refuse a production with %s=%s', (name, value) => {
    expect(() => readSettings({ ...production, [name]: value })).toThrow(name);
  });

  it.each([
    'postgres://user:pw@127.0.0.1/db',
    'postgres://user:pw@127.8.0.1/db',
    'postgres://user:pw@[::1]:5432/db',
    'postgres://user:pw@localhost/db',
    'postgres://user:pw@%2Fvar%2Frun%2Fpostgresql/db',
    'postgres://user:pw@/db?host=/var/run/postgresql',
    'postgres://user:pw@db.example/db?sslmode=verify-full',
    'postgres://user:pw@10.0.0.7/db?sslmode=verify-full',
    'postgres://user:pw@db.example/db?ssl=true',
    'postgres://user:pw@db.example/db?sslmode=verify-full&uselibpqcompat=true',
  ])('accept a production whose database is local or authenticated: %s', (url) => {
    expect(readSettings({ ...production, DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  // Each is parsed by the driver itself, which does not read all of them like libpq.
  it.each([
    'postgres://user:hidden@db.example/db',
    'postgres://user:hidden@10.0.0.7/db',
    'postgres://user:hidden@localhost.example/db',
    'postgres://user:hidden@127.0.0.1.example/db',
    'postgres://user:hidden@127.0.0.1/db?host=db.example',
    'postgres://user:hidden@db.example/db?ssl=false',
    'postgres://user:hidden@db.example/db?sslmode=disable',
    'postgres://user:hidden@db.example/db?sslmode=no-verify',
    'postgres://user:hidden@db.example/db?ssl=no-verify',
    'postgres://user:hidden@db.example/db?uselibpqcompat=true&sslmode=prefer',
    'postgres://user:hidden@db.example/db?uselibpqcompat=true&sslmode=require',
    `postgres://user:hidden@db.example/db?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${authority}`,
    'postgres://user:hidden@db.example/db?sslmode=verify-full&sslrootcert=/of/no/file',
    'postgres://user:hidden@db.example/db?sslmode=no-such-mode&sslmode=disable',
    'postgres://user:hidden@db.example:port/db?sslmode=verify-full',
  ])('refuse a production whose database server is not verified: %s', (url) => {
    const start = () => readSettings({ ...production, DATABASE_URL: url });
    expect(start).toThrow(/^DATABASE_URL [^\n]*sslmode=verify-full[^\n]*$/);
    expect(start).not.toThrow(/hidden/);
    expect(readSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  it('refuse a production in which Node accepts every certificate', () => {
    const open = { ...production, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => readSettings(open)).toThrow(/^NODE_TLS_REJECT_UNAUTHORIZED=0 [^\n]*unset it$/);
    expect(readSettings({ ...open, DEPLOYMENT: 'development' }).DEPLOYMENT).toBe('development');
  });

  it('are documented', () => {
    const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    expect(page).toBe(describeSettings());
  });

  it('are documented with their defaults, but for secrets', () => {
    const page = describeSettings();
    expect(page).toContain('| `KEY_ENCRYPTION` | `local` |');
    expect(page).toContain('| `NETWORK_CALLBACK_SECRET` | a public value, for development only |');
    expect(page).not.toContain('whsec_');
  });

  it('are documented in sections that each have a setting', () => {
    const sections = describeSettings().split('\n## ').slice(1);
    expect(sections.length).toBeGreaterThan(5);
    for (const section of sections) expect(section).toMatch(/^\| `[A-Z_]+` \|/m);
  });
});

describe('settings of the card frame', () => {
  const frame = {
    DEPLOYMENT: 'production',
    PUBLIC_URL: 'https://pay.example',
    CARD_FRAME_URL: 'https://card.example',
    CARD_FRAME_KEY: 'k'.repeat(32),
  };

  it('are few, need no database and no key, and send cards to PCI Vault', () => {
    expect(readCardFrameSettings({ ...frame, ENCRYPTION_KEYS: 'nonsense' })).toEqual({
      DEPLOYMENT: 'production',
      LOG_LEVEL: 'info',
      PUBLIC_URL: 'https://pay.example',
      CARD_FRAME_URL: 'https://card.example',
      CARD_FRAME_VAULT_URL: 'https://api.pcivault.io',
      WALLET_FRAME_STRIPE_URL: 'https://js.stripe.com',
      CARD_FRAME_HOST: '127.0.0.1',
      CARD_FRAME_PORT: 4050,
      CARD_FRAME_KEY: 'k'.repeat(32),
    });
  });

  it.each([
    [{ CARD_FRAME_URL: '' }, 'CARD_FRAME_URL is not set'],
    [{ CARD_FRAME_KEY: '' }, 'CARD_FRAME_KEY has its development default'],
    [{ CARD_FRAME_URL: 'http://card.example' }, 'CARD_FRAME_URL must be an https:// URL'],
    [{ PUBLIC_URL: 'http://pay.example' }, 'PUBLIC_URL must be an https:// URL'],
    [
      { CARD_FRAME_VAULT_URL: 'https://other.example' },
      'CARD_FRAME_VAULT_URL may be set in development only',
    ],
    [{ CARD_FRAME_URL: 'https://pay.example/card' }, 'CARD_FRAME_URL must have an origin of its own'],
    [{ WALLET_FRAME_URL: 'http://wallet.example' }, 'WALLET_FRAME_URL must be an https:// URL'],
    [
      { WALLET_FRAME_STRIPE_URL: 'https://other.example' },
      'WALLET_FRAME_STRIPE_URL may be set in development only',
    ],
    // Stripe.js on the same origin could read the card fields.
    [{ WALLET_FRAME_URL: 'https://card.example' }, 'WALLET_FRAME_URL must have an origin of its own'],
  ])('refuse %j in production', (over, named) => {
    expect(() => readCardFrameSettings({ ...frame, ...over })).toThrow(named);
  });

  it.each([
    [{ CARD_FRAME_URL: 'https://pay.example' }, 'CARD_FRAME_URL must have an origin of its own'],
    [
      { CARD_FRAME_URL: 'https://shop.example', DASHBOARD_URL: 'https://shop.example/dashboard' },
      'CARD_FRAME_URL must have an origin of its own',
    ],
    [
      { CARD_FRAME_URL: 'http://card.example', CARD_FRAME_KEY: 'k'.repeat(32) },
      'CARD_FRAME_URL must be an https:// URL',
    ],
    [{ CARD_FRAME_URL: 'https://card.example' }, 'CARD_FRAME_KEY has its development default'],
    [
      { CARD_FRAME_VAULT_URL: 'https://other.example' },
      'CARD_FRAME_VAULT_URL may be set in development only',
    ],
    [
      { WALLET_FRAME_STRIPE_URL: 'https://other.example' },
      'WALLET_FRAME_STRIPE_URL may be set in development only',
    ],
    [{ WALLET_FRAME_URL: 'https://pay.example' }, 'WALLET_FRAME_URL must have an origin of its own'],
  ])('are refused by the service, too: %j', (over, named) => {
    expect(() => readSettings({ ...production, ...over })).toThrow(named);
  });
});
