import { setTimeout as sleep } from 'node:timers/promises';
import { signatureHeaders } from '../../../../src/webhooks/signing.ts';
import type { Cursor } from './cursor.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

const pollMs = 1_000;
const tryTimeoutMs = 15_000;
const longestWaitMs = 10_000;

/** The report of one try, or of an event that was given up. */
export interface Report {
  type: string;
  eventId: string;
  /** The receiver's answer in one word, or `skipped`. */
  result: string;
  durationMs: number | null;
  /** What happens next; null when nothing needs to be printed. */
  next: string | null;
}

/**
 * Sends event after event to the receiver, each until it is accepted, and only then moves the cursor. Runs
 * until `signal` aborts. `maxTries` null: without a limit.
 */
export async function forwardEvents(options: {
  log: EventLog;
  cursor: Cursor;
  forwardTo: string;
  maxTries: number | null;
  signal: AbortSignal;
  report: (report: Report) => void;
}): Promise<void> {
  const { log, cursor, signal } = options;
  while (!signal.aborted) {
    const events = await log.after(cursor.after);
    for (const logged of events) {
      await deliver(options, logged);
      await cursor.advance(logged.event.id);
    }
    if (events.length === 0) await sleep(pollMs, undefined, { signal });
  }
}

async function deliver(options: Parameters<typeof forwardEvents>[0], logged: LoggedEvent): Promise<void> {
  const { cursor, forwardTo, maxTries, signal, report } = options;
  const { id: eventId, type } = logged.event;
  for (let tries = 1; ; tries += 1) {
    const startedAt = Date.now();
    const result = await tryOnce(forwardTo, logged, cursor.secret, signal);
    signal.throwIfAborted();
    // The first tries are printed, later ones seldom: a receiver that is down for an hour must not fill the
    // screen.
    if (result.taken || tries <= 3 || tries % 20 === 0) {
      const goesOn = tries === 3 && tries !== maxTries;
      const next = goesOn ? 'will retry until your receiver accepts it' : null;
      report({ type, eventId, result: result.text, durationMs: Date.now() - startedAt, next });
    }
    if (result.taken) return;
    if (tries === maxTries) {
      report({ type, eventId, result: 'skipped', durationMs: null, next: null });
      return;
    }
    await sleep(Math.min(500 * 2 ** (tries - 1), longestWaitMs), undefined, { signal });
  }
}

async function tryOnce(
  url: string,
  { event, body }: LoggedEvent,
  secret: string,
  signal: AbortSignal,
): Promise<{ taken: boolean; text: string }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'card-payments-webhooks/1',
        ...signatureHeaders({ id: event.id, body }, [secret], new Date()),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(tryTimeoutMs)]),
    });
    await answer.body?.cancel();
    return { taken: answer.ok, text: String(answer.status) };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return { taken: false, text: timedOut ? 'no answer within 15 s' : 'unreachable' };
  }
}
