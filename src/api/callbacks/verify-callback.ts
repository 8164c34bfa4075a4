import type { IncomingHttpHeaders } from 'node:http';
import type { Webhook } from 'standardwebhooks';
import { equalHashes } from '../../crypto/keyring.ts';

/** How far the instant of a signature may be from the present, in seconds. */
const toleranceSeconds = 300;

/**
 * Returns the JSON value of a callback that is signed by Standard Webhooks with this secret at about `nowMs`
 * (epoch ms); undefined when it is not. The library's own check reads the clock of this host, which may be
 * wrong: then every callback would be refused.
 */
export function verifyCallback(
  webhook: Webhook,
  headers: IncomingHttpHeaders,
  body: string,
  nowMs: number,
): unknown {
  const id = headers['webhook-id'];
  const signedAt = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof signedAt !== 'string' || typeof signatures !== 'string') return;
  if (!/^\d{1,12}$/.test(signedAt)) return;
  if (Math.abs(nowMs / 1_000 - Number(signedAt)) > toleranceSeconds) return;
  const expected = Buffer.from(webhook.sign(id, new Date(Number(signedAt) * 1_000), body));
  if (!signatures.split(' ').some((given) => equalHashes(Buffer.from(given), expected))) return;
  try {
    return JSON.parse(body);
  } catch {
    return;
  }
}
