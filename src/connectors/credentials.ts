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
  /** Accepted in addition to the current one during a rotation. */
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
