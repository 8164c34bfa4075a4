/** The key of an attempt's charge: its payment and its number. */
const chargeKey = /^[0-9a-f-]{36}:\d+$/;

/** Returns the key of the charge that a request sends; null for other requests. */
export function chargeKeyOf({ headers }: { headers: Record<string, string> }): string | null {
  const key = headers['idempotency-key'] ?? '';
  return chargeKey.test(key) ? key : null;
}
