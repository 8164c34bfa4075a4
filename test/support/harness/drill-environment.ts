/** The user's variables that a drill's stack needs. All others stay outside, so that each run is the same. */
const kept = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'] as const;

/**
 * Returns the environment of a drill's stack: no rate limits, refunds after a second, webhooks tried again
 * soon, and checkouts that are over after `deadlineSeconds`, their capture windows two seconds before.
 */
export const drillEnvironment = (deadlineSeconds: number): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(kept.map((key) => [key, process.env[key]])),
  RATE_LIMITS: 'off',
  REFUND_DELAY_SECONDS: '1',
  WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10,10,10',
  CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds),
  CAPTURE_WINDOW_SECONDS: String(deadlineSeconds - 2),
});
