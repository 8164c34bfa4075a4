import { z } from 'zod';

/** Base URL of an API, without a trailing slash. */
const baseUrl = z.url({ protocol: /^https?$/ }).max(2048);

/**
 * The credentials of a Stripe connector: the keys of the Stripe account, and the access to the vault that
 * stores its cards. Sealed as one value; docs/going-live.md explains where each comes from.
 */
export const stripeCredentialsSchema = z.strictObject({
  secretKey: z.string().min(1).max(255),
  publishableKey: z.string().min(1).max(255),
  /** Null until the address is registered at Stripe; until then only polling finds changes. */
  webhookSecret: z.string().min(1).max(255).nullable(),
  /** Accepted in addition to the current one for a day after a rotation. */
  previousWebhookSecret: z.string().min(1).max(255).nullable().default(null),
  /** The end of that day. Absent without a previous secret, and if an earlier version rotated it. */
  previousWebhookSecretUntil: z.iso.datetime().optional(),
  vaultUser: z.string().min(1).max(255),
  vaultPassword: z.string().min(1).max(1024),
  vaultKey: z.string().min(1).max(255),
  vaultPassphrase: z.string().min(1).max(1024),
  /** Other addresses than the provider's own, in development only. */
  apiBase: baseUrl.nullable(),
  vaultBase: baseUrl.nullable(),
});

export type StripeCredentials = z.output<typeof stripeCredentialsSchema>;

/** Returns the credentials of a sealed value's text. Throws for any other text. */
export const parseCredentials = (text: string): StripeCredentials =>
  stripeCredentialsSchema.parse(JSON.parse(text));

type WebhookSecrets = Pick<
  StripeCredentials,
  'webhookSecret' | 'previousWebhookSecret' | 'previousWebhookSecretUntil'
>;

/** How long events that were signed with the former secret are accepted after a rotation, in ms. */
const webhookOverlapMs = 24 * 3_600_000;

/** Returns the previous secret while it is accepted, with its end; null: only the current one is accepted. */
export function previousWebhookSecret(
  { previousWebhookSecret: secret, previousWebhookSecretUntil: until }: WebhookSecrets,
  now: Date,
): { secret: string; until: string } | null {
  if (secret === null || until === undefined || new Date(until) <= now) return null;
  return { secret, until };
}

/** Returns the secrets that may have signed an event which arrives now. */
export const acceptedWebhookSecrets = (credentials: WebhookSecrets, now: Date): string[] =>
  [credentials.webhookSecret, previousWebhookSecret(credentials, now)?.secret ?? null].filter(
    (secret) => secret !== null,
  );

/**
 * Returns the secrets after a rotation to `next`; null: it replaces other credentials. The former secret is
 * accepted for 24 hours, because events that Stripe signed with it may still arrive.
 */
export function rotateWebhookSecret(before: WebhookSecrets, next: string | null, now: Date): WebhookSecrets {
  const isNew = next !== null && next !== before.webhookSecret;
  const until = new Date(now.getTime() + webhookOverlapMs).toISOString();
  const replaced = before.webhookSecret === null ? null : { secret: before.webhookSecret, until };
  const previous = isNew ? replaced : previousWebhookSecret(before, now);
  return {
    webhookSecret: next ?? before.webhookSecret,
    previousWebhookSecret: previous?.secret ?? null,
    ...(previous === null ? {} : { previousWebhookSecretUntil: previous.until }),
  };
}
