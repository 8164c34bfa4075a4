/** Spec: Limits > Idempotency-Key: 16-255 visible ASCII characters. */
const visibleAscii = /^[\x21-\x7e]{16,255}$/;

/**
 * Reads the Idempotency-Key from Node's raw headers (name, value, name, value …): there must be exactly one,
 * of 16 to 255 bytes 0x21-0x7E. Raw, because the parsed headers join repeated ones into a key nobody sent.
 * The message never quotes the key. Spec: POST /v1/payments; IDEM-01 to -03.
 */
export function parseIdempotencyKey(
  rawHeaders: readonly string[],
): { ok: true; key: string } | { ok: false; message: string } {
  const keys = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'idempotency-key',
  );
  const [key] = keys;
  if (key === undefined) return { ok: false, message: 'The Idempotency-Key header is required.' };
  if (keys.length > 1) return { ok: false, message: 'Only one Idempotency-Key header is allowed.' };
  if (!visibleAscii.test(key)) {
    return { ok: false, message: 'The Idempotency-Key header must be 16 to 255 visible ASCII characters.' };
  }
  return { ok: true, key };
}
