import { setTimeout as sleep } from 'node:timers/promises';
import { signatureHeaders } from '../../webhooks/signing.ts';
import type { Cursor } from './cursor.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

const pollMs = 1_000;
const tryTimeoutMs = 15_000;
const longestWaitMs = 10_000;

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
  say: (line: string) => void;
}): Promise<void> {
  const { log, cursor, signal } = options;
  while (!signal.aborted) {
    const events = await log.after(cursor.after);
    for (const event of events) {
      await deliver(options, event);
      await cursor.advance(event.id);
    }
    if (events.length === 0) await sleep(pollMs, undefined, { signal });
  }
}

async function deliver(options: Parameters<typeof forwardEvents>[0], event: LoggedEvent): Promise<void> {
  const { cursor, forwardTo, maxTries, signal, say } = options;
  for (let tries = 1; ; tries += 1) {
    const startedAt = Date.now();
    const result = await tryOnce(forwardTo, event, cursor.secret, signal);
    signal.throwIfAborted();
    // Printed for the first tries and then seldom: a receiver that is down for an hour must not fill the
    // screen.
    if (result.taken || tries <= 3 || tries % 20 === 0) {
      say(`${event.type}  ${event.id}  → ${result.text} (${Date.now() - startedAt} ms)`);
    }
    if (result.taken) return;
    if (tries === maxTries) {
      say(`${event.type}  ${event.id}  skipped`);
      return;
    }
    if (tries === 3) say('  will retry until your receiver accepts it');
    await sleep(Math.min(500 * 2 ** (tries - 1), longestWaitMs), undefined, { signal });
  }
}

async function tryOnce(
  url: string,
  event: LoggedEvent,
  secret: string,
  signal: AbortSignal,
): Promise<{ taken: boolean; text: string }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'card-payments-webhooks/1',
        ...signatureHeaders({ id: event.id, body: event.body }, [secret], new Date()),
      },
      body: event.body,
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
