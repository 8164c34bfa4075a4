import { z } from 'zod';
import { refuseIncompleteKeyEncryption } from './key-encryption-refusals.ts';
import { keyEncryptionShape } from './key-encryption-settings.ts';
import { refuseUnreadableKeys } from './key-refusals.ts';
import {
  refuseDevelopmentFrameKey,
  refusePlainHttp,
  refuseUnfitForProduction,
} from './production-refusals.ts';
import { readSecretFiles } from './secret-files.ts';
import { refuseEarlyArchive } from './retention-settings.ts';
import { SettingsError } from './settings-error.ts';
import { type Settings, settingsSchema } from './settings-schema.ts';

export { SettingsError, settingsSchema, type Settings };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from an environment and the files that it names. Empty variables count as unset. Throws
 * `SettingsError`.
 */
export function readSettings(given: Environment): Settings {
  const environment = readSecretFiles(given);
  const settings = parseSettings(settingsSchema, environment);
  refuseUnreadableKeys(settings);
  refuseIncompleteKeyEncryption(settings);
  refuseSharedFrameOrigin(settings);
  refuseIncompleteIdentityProvider(settings);
  refuseEarlyArchive(settings);
  if (settings.DEPLOYMENT === 'production') refuseUnfitForProduction(settings, environment);
  return settings;
}

/**
 * The settings of the card frame's process. It gets none of the service's secrets and no access to its data.
 */
const cardFrameSchema = settingsSchema
  .pick({
    DEPLOYMENT: true,
    LOG_LEVEL: true,
    PUBLIC_URL: true,
    DASHBOARD_URL: true,
    CARD_FRAME_URL: true,
    CARD_FRAME_VAULT_URL: true,
    WALLET_FRAME_URL: true,
    WALLET_FRAME_STRIPE_URL: true,
    CARD_FRAME_HOST: true,
    CARD_FRAME_PORT: true,
    CARD_FRAME_KEY: true,
  })
  .required({ CARD_FRAME_URL: true });

type CardFrameSettings = z.infer<typeof cardFrameSchema>;

const keyEncryptionSchema = settingsSchema.pick({ DEPLOYMENT: true }).extend(keyEncryptionShape);

/**
 * Reads only the settings of the key service, because its first key is made before the other settings exist.
 * Throws `SettingsError`.
 */
export function readKeyEncryptionSettings(environment: Environment): z.infer<typeof keyEncryptionSchema> {
  const settings = parseSettings(
    keyEncryptionSchema,
    readSecretFiles(environment, Object.keys(keyEncryptionSchema.shape)),
  );
  refuseIncompleteKeyEncryption(settings);
  return settings;
}

/** Reads the settings of the card frame's process from an environment. Throws `SettingsError`. */
export function readCardFrameSettings(environment: Environment): CardFrameSettings {
  const settings = parseSettings(
    cardFrameSchema,
    readSecretFiles(environment, Object.keys(cardFrameSchema.shape)),
  );
  refuseSharedFrameOrigin(settings);
  if (settings.DEPLOYMENT !== 'production') return settings;
  for (const name of ['CARD_FRAME_VAULT_URL', 'WALLET_FRAME_STRIPE_URL'] as const) {
    if (settings[name] !== settingsSchema.shape[name].parse(undefined)) {
      throw new SettingsError(`${name} may be set in development only: unset it`);
    }
  }
  refuseDevelopmentFrameKey(settings);
  refusePlainHttp(settings, ['PUBLIC_URL', 'CARD_FRAME_URL', 'WALLET_FRAME_URL']);
  return settings;
}

function parseSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): z.infer<z.ZodObject<Shape>> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name in schema.shape && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? 'settings');
  const missing = given[name] === undefined;
  throw new SettingsError(
    missing
      ? `${name} is not set: set it (docs/configuration.md)`
      : `${name}: ${explained(issue, given[name] ?? '')}`,
  );
}

/**
 * Returns what is wrong with the value of a setting. A URL is not repeated: it may contain a password.
 */
function explained(issue: z.core.$ZodIssue | undefined, text: string): string {
  const not = `, not "${text}" (docs/configuration.md)`;
  if (issue?.code === 'invalid_type' && issue.expected === 'number') return `must be a number${not}`;
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}${not}`;
  // A message of the schema's own says more, such as the unit.
  const isNumber = issue !== undefined && 'origin' in issue && issue.origin === 'number';
  const isGeneral = isNumber && issue.message.startsWith('Too ');
  if (issue?.code === 'too_small' && isGeneral) return `must be at least ${issue.minimum}${not}`;
  if (issue?.code === 'too_big' && isGeneral) return `must be at most ${issue.maximum}${not}`;
  if (issue?.code === 'invalid_format' && issue.format === 'url') {
    return 'must be a whole URL, such as https://pay.example (docs/configuration.md)';
  }
  return issue?.message ?? 'cannot be read (docs/configuration.md)';
}

/**
 * Refuses a frame whose origin also serves other pages, because their scripts could read what is typed.
 * Stripe.js runs in the wallets' frame, so that frame needs another origin than the card fields.
 */
function refuseSharedFrameOrigin(
  settings: Pick<Settings, 'CARD_FRAME_URL' | 'WALLET_FRAME_URL' | 'PUBLIC_URL' | 'DASHBOARD_URL'>,
): void {
  const taken = new Set([settings.PUBLIC_URL, dashboardUrl(settings)].map((url) => new URL(url).origin));
  for (const name of ['CARD_FRAME_URL', 'WALLET_FRAME_URL'] as const) {
    const { [name]: url } = settings;
    if (url === undefined) continue;
    const { origin } = new URL(url);
    if (taken.has(origin)) {
      const others = name === 'CARD_FRAME_URL' ? '' : 'CARD_FRAME_URL, ';
      throw new SettingsError(
        `${name} must have an origin of its own: not that of ${others}PUBLIC_URL or DASHBOARD_URL`,
      );
    }
    taken.add(origin);
  }
}

/** Refuses an incomplete identity provider, which would disable its sign-in without a warning. */
function refuseIncompleteIdentityProvider(settings: Settings): void {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  const missing = names.filter((name) => settings[name] === undefined);
  const [first] = missing;
  if (first === undefined || missing.length === names.length) return;
  throw new SettingsError(`${first} is not set: an identity provider needs ${names.join(', ')}`);
}

/**
 * Returns the address of the dashboard in browsers. Passkeys do not work with IP addresses, so the loopback
 * address of development becomes `localhost`.
 */
export function dashboardUrl({
  DASHBOARD_URL,
  PUBLIC_URL,
}: Pick<Settings, 'DASHBOARD_URL' | 'PUBLIC_URL'>): string {
  return DASHBOARD_URL ?? PUBLIC_URL.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, 'http://localhost');
}
