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

type WebhookSecrets = Pick<StripeCredentials, 'webhookSecret' | 'previousWebhookSecret'>;

/** How long events that were signed with the former secret are accepted after a rotation, in ms. */
const webhookOverlapMs = 24 * 3_600_000;

/** Returns the secrets that may have signed an event which arrives now. `until`: the end of the overlap. */
export const acceptedWebhookSecrets = (
  { webhookSecret, previousWebhookSecret }: WebhookSecrets,
  until: Date | null,
  now: Date,
): string[] =>
  [webhookSecret, until !== null && now < until ? previousWebhookSecret : null].filter(
    (secret) => secret !== null,
  );

/**
 * Returns the secrets after a rotation to `next` (null: it replaces other credentials), and until when the
 * former secret is accepted: for 24 hours, because events that Stripe signed with it may still arrive.
 */
export function rotateWebhookSecret(
  before: WebhookSecrets & { until: Date | null },
  next: string | null,
  now: Date,
): WebhookSecrets & { until: Date | null } {
  const { webhookSecret, previousWebhookSecret, until } = before;
  if (next !== null && next !== webhookSecret) {
    const end = webhookSecret === null ? null : new Date(now.getTime() + webhookOverlapMs);
    return { webhookSecret: next, previousWebhookSecret: webhookSecret, until: end };
  }
  if (until === null || until <= now) return { webhookSecret, previousWebhookSecret: null, until: null };
  return { webhookSecret, previousWebhookSecret, until };
}
