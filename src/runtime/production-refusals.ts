import { refuseWeakKeys } from './key-refusals.ts';
import { SettingsError } from './settings-error.ts';
import { type Settings, settingsSchema } from './settings-schema.ts';
import { unprotectedConnection } from './database-connection.ts';

/** Settings that could weaken the specification's guarantees; production must keep their defaults. */
const developmentOnly = [
  'CHECKOUT_DEADLINE_SECONDS',
  'CAPTURE_WINDOW_SECONDS',
  'IDEMPOTENCY_RETENTION_SECONDS',
  'WEBHOOK_RETRY_SCHEDULE_SECONDS',
  'RATE_LIMITS',
  'CARD_FRAME_VAULT_URL',
  'WALLET_FRAME_STRIPE_URL',
  'LIVE_VAULT_URL',
  'LIVE_VAULT_PUBLIC_URL',
  'LIVE_VAULT_SERVICE_KEY',
  'LIVE_NETWORK_URL',
  'LIVE_NETWORK_SERVICE_KEY',
  'LIVE_NETWORK_CALLBACK_SECRET',
] as const satisfies readonly (keyof Settings)[];

/**
 * Refuses settings that are not safe for real money: settings of development, weak keys, and connections that
 * others could read or answer. Throws `SettingsError`, one line that names the setting and the fix.
 */
export function refuseUnfitForProduction(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const fallbacks = settingsSchema.parse({ DATABASE_URL: settings.DATABASE_URL });
  for (const name of developmentOnly) {
    if (settings[name] !== fallbacks[name])
      throw new SettingsError(`${name} may be set in development only: unset it`);
  }
  for (const name of [
    'ENCRYPTION_KEYS',
    'VAULT_SERVICE_KEY',
    'NETWORK_SERVICE_KEY',
    'NETWORK_CALLBACK_SECRET',
  ] as const) {
    if (settings[name] === fallbacks[name]) {
      throw new SettingsError(`${name} has its development default: set your own for DEPLOYMENT=production`);
    }
  }
  // Wrapped keys are checked when they are unwrapped.
  if (settings.KEY_ENCRYPTION === 'local') refuseWeakKeys(settings);
  if (settings.CARD_FRAME_URL !== undefined) refuseDevelopmentFrameKey(settings);
  refuseShortSecret(settings.NETWORK_CALLBACK_SECRET);
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new SettingsError('NODE_TLS_REJECT_UNAUTHORIZED=0 makes Node accept every certificate: unset it');
  }
  const unprotected = unprotectedConnection(settings.DATABASE_URL);
  if (unprotected !== null) throw new SettingsError(`DATABASE_URL ${unprotected}`);
  refusePlainHttp(settings, [
    'PUBLIC_URL',
    'DASHBOARD_URL',
    'CARD_FRAME_URL',
    'WALLET_FRAME_URL',
    'OIDC_ISSUER',
    'VAULT_URL',
    'VAULT_PUBLIC_URL',
    'NETWORK_URL',
  ]);
}

/**
 * Refuses the public development key, with which any list of sites could be signed. Throws `SettingsError`.
 */
export function refuseDevelopmentFrameKey({ CARD_FRAME_KEY }: Pick<Settings, 'CARD_FRAME_KEY'>): void {
  if (CARD_FRAME_KEY !== settingsSchema.shape.CARD_FRAME_KEY.parse(undefined)) return;
  throw new SettingsError(
    'CARD_FRAME_KEY has its development default: set your own for DEPLOYMENT=production',
  );
}

/** The bytes that a callback secret must have. A shorter one can be guessed from signed callbacks. */
const secretBytes = 32;

function refuseShortSecret(secret: string): void {
  if (Buffer.from(secret.slice('whsec_'.length), 'base64').length >= secretBytes) return;
  throw new SettingsError(
    `NETWORK_CALLBACK_SECRET must have ${secretBytes} bytes: make one (whsec_ and openssl rand -base64 ${secretBytes}) ` +
      'for DEPLOYMENT=production',
  );
}

/** Refuses those of `names` that are set but are not https:// URLs. Throws `SettingsError`. */
export function refusePlainHttp<Name extends keyof Settings>(
  settings: Readonly<Partial<Record<Name, string | undefined>>>,
  names: readonly Name[],
): void {
  const plain = names.find((name) => settings[name]?.startsWith('https://') === false);
  if (plain) throw new SettingsError(`${plain} must be an https:// URL with DEPLOYMENT=production`);
}
