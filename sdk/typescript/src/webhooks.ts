import { WebhookVerificationError } from './errors.ts';
import { asObject, parseJson } from './read-body.ts';
import type { Event } from './types.ts';

/** The headers of a request: those of the fetch standard, or an object like that of Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How far the time of a delivery may be from this machine's clock. */
const toleranceSeconds = 5 * 60;

/** Verifies the deliveries that endpoints receive. */
export class Webhooks {
  /** See {@link verifyWebhook}. */
  verify(
    rawBody: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string | readonly string[],
  ): Promise<Event> {
    return verifyWebhook(rawBody, headers, secret);
  }
}

/**
 * Returns the event of a delivery. `rawBody`: the bytes or the text as received, before any parser. `secret`:
 * the secret of the endpoint (`whsec_…`), or both while you change it. Throws WebhookVerificationError when
 * the delivery is not from the service, or is older or newer than five minutes.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<Event> {
  const body = bytesOf(rawBody);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError(
      'The headers webhook-id, webhook-timestamp and webhook-signature are required. Pass all headers of the request.',
    );
  }
  requireRecent(timestamp);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const keys = await Promise.all([secret].flat().map(keyOf));
  for (const signature of signatures.split(' ').flatMap(signatureOf)) {
    for (const key of keys) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventOf(body);
    }
  }
  throw new WebhookVerificationError(
    'No signature matches. Check the secret of this endpoint, and that the body is unchanged since it was received.',
  );
}

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  if (ArrayBuffer.isView(rawBody)) {
    return Uint8Array.from(new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength));
  }
  throw new WebhookVerificationError(
    'rawBody was parsed already: pass the text or the bytes of the request, before any JSON parser.',
  );
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name);
  const entry = Object.entries(headers).find(([given]) => given.toLowerCase() === name);
  const value: unknown = entry?.[1];
  const [first] = [value].flat();
  return typeof first === 'string' ? first : null;
}

function requireRecent(timestamp: string): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('webhook-timestamp is not a number of seconds.');
  }
  const seconds = Math.round(Math.abs(Date.now() / 1_000 - Number(timestamp)));
  if (seconds <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    `webhook-timestamp is ${seconds} seconds away from the clock of this machine, more than five minutes. ` +
      'Either the delivery is old or the clock is wrong.',
  );
}

async function keyOf(secret: unknown): Promise<CryptoKey> {
  const malformed = 'The secret of the endpoint must be like whsec_… as it was shown when it was created.';
  if (typeof secret !== 'string' || !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret)) {
    throw new WebhookVerificationError(malformed);
  }
  const bytes = fromBase64(secret.slice('whsec_'.length));
  if (bytes === null) throw new WebhookVerificationError(malformed);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Returns the bytes of one signature, in a list that is empty for a signature of another version. */
function signatureOf(part: string): Uint8Array<ArrayBuffer>[] {
  const [version, text = ''] = part.split(',');
  const bytes = version === 'v1' ? fromBase64(text) : null;
  return bytes === null ? [] : [bytes];
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function eventOf(body: Uint8Array): Event {
  const event = parseJson(new TextDecoder().decode(body));
  const { id, type } = asObject(event);
  if (typeof id === 'string' && typeof type === 'string') return event as Event;
  throw new WebhookVerificationError('The signed body is not an event.');
}
