/** The wait after a first failed check, and the longest one, in ms. */
const firstMs = 5_000;
const longestMs = 5 * 60_000;

/** Returns when to check again after so many failed checks in a row. Pure. */
export function afterFailures(failures: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1)));
}

/** Failed checks in a row after which an operator is alerted. The waits between them add up to 155 s. */
export const alertAfterFailures = 6;

/** Returns a short code of an error for operators, never text from another system. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, name } = error as { code?: unknown; name?: unknown };
  const text =
    typeof code === 'string' || typeof code === 'number' ? `${String(name)}:${code}` : String(name);
  return text.replaceAll(/[^\w:.-]/g, '').slice(0, 64) || 'unknown';
}
