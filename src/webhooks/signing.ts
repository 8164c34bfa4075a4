import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** How long the secret before a rotation still signs beside the new one, in ms. docs/webhooks.md. */
export const rotationOverlapMs = 24 * 3_600_000;

/** A new signing secret: `whsec_` and base64 of 32 random bytes. */
export const createSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * The Standard Webhooks headers of one try: `v1` HMAC-SHA256 over `id.timestamp.body`, one signature per
 * secret, space-separated. `at` is the time of this try, so that receivers can refuse old deliveries.
 */
export function signatureHeaders(
  message: { id: string; body: string },
  secrets: readonly string[],
  at: Date,
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(message.id, at, message.body))
      .join(' '),
  };
}
