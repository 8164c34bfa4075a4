import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/server/database.ts';
import { takeWebhookFault } from '../db/payments/sandbox.ts';
import type { SendResult } from './sender.ts';

/** The delay of `slow`, in ms. */
const slowMs = 5_000;

/** Returns the result of a try that was not sent. */
const unsent = (what: Pick<SendResult, 'statusCode' | 'error'>): SendResult => ({
  ...what,
  retryAfter: undefined,
  durationMs: 0,
  excerpt: null,
});

/**
 * Sends a sandbox delivery with the fault that was injected for it, if any, and returns the result. `timeout`
 * and `error` reach no receiver, `lostResponse` is received but counts as failed, `slow` arrives 5 s late.
 * docs/sandbox.md, "Faults".
 */
export async function sendUnderFault(
  database: Database,
  event: { id: string; environment: string },
  send: () => Promise<SendResult>,
): Promise<SendResult> {
  const fault = event.environment === 'sandbox' ? await takeWebhookFault(database, event.id) : null;
  switch (fault) {
    case null:
      return send();
    case 'timeout':
      return unsent({ statusCode: null, error: 'timeout' });
    case 'error':
      return unsent({ statusCode: 500, error: null });
    case 'slow':
      await sleep(slowMs);
      return send();
    case 'lostResponse':
      return { ...unsent({ statusCode: null, error: 'reset' }), durationMs: (await send()).durationMs };
  }
}
