import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** How long the previous secret still signs in addition to the new one, in ms. docs/webhooks.md. */
export const rotationOverlapMs = 24 * 3_600_000;

/** Returns a new signing secret: `whsec_` and base64 of 32 random bytes. */
export const createSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * Returns the Standard Webhooks headers of one try: `v1` HMAC-SHA256 over `id.timestamp.body`, one signature
 * per secret, space-separated. `at` is the time of this try, so that receivers can refuse old deliveries.
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

/** Returns a webhook as it is sent: its address, its headers with the signature, and its body. */
export const signedRequest = (
  url: string,
  message: { id: string; body: string },
  secrets: readonly string[],
  at: Date,
) => ({
  url,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'card-payments-webhooks/1',
    ...signatureHeaders(message, secrets, at),
  },
  body: message.body,
});

/**
 * Returns whether one of the secrets signed exactly this message, at any time. It is for people who inspect a
 * delivery, not for receivers, which also refuse old timestamps.
 */
export function verifySignature(
  message: { headers: Readonly<Record<string, string>>; body: string },
  secrets: readonly string[],
): boolean {
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': sent = '',
  } = message.headers;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const at = new Date(Number(timestamp) * 1000);
  const signatures = sent.split(' ').map((signature) => Buffer.from(signature));
  return secrets.some((secret) => {
    const expected = Buffer.from(new Webhook(secret).sign(id, at, message.body));
    return signatures.some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  });
}
