/** Longest wait that an endpoint may request with `Retry-After`, in ms. */
const maxRetryAfterMs = 24 * 3_600_000;
/** The part of a wait by which jitter may lengthen or shorten it. */
const jitterShare = 0.1;

/** Returns the waits of WEBHOOK_RETRY_SCHEDULE_SECONDS, one before each try, in ms. */
export const parseRetrySchedule = (text: string): number[] =>
  text.split(',').map((part) => Number(part) * 1000);

/**
 * Returns the wait before the next try, in ms; null when the schedule is at its end. The jitter of 10 %
 * either way prevents that retries after one outage arrive together. An endpoint that requests a longer wait
 * with `Retry-After` gets it, up to 24 hours. `random` is in [0, 1).
 */
export function nextTryInMs(input: {
  schedule: readonly number[];
  /** Tries made so far. */
  tries: number;
  retryAfterMs: number | null;
  random: number;
}): number | null {
  const scheduled = input.schedule[input.tries];
  if (scheduled === undefined) return null;
  const jittered = scheduled * (1 - jitterShare + 2 * jitterShare * input.random);
  return Math.round(Math.max(jittered, Math.min(input.retryAfterMs ?? 0, maxRetryAfterMs)));
}

/**
 * Returns a `Retry-After` header in ms from `now`: whole seconds or an HTTP date; null when it is absent or
 * malformed.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Only the date forms of RFC 9110: Date.parse alone accepts many others.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isFinite(at) ? Math.max(0, at - now) : null;
}
