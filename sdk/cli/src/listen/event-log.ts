import { setTimeout as sleep } from 'node:timers/promises';
import {
  APIConnectionError,
  APIError,
  AuthenticationError,
  type CardPayments,
  type Event,
  type EventListParams,
  RateLimitError,
  ServiceUnavailableError,
} from '../../../typescript/src/index.ts';
import { refused } from '../errors.ts';

const callTimeoutMs = 10_000;
const longestWaitMs = 10_000;

/** An event of the log, and the exact text that a webhook of it carries. */
export interface LoggedEvent {
  event: Event;
  body: string;
}

/** The account's event log. Calls are retried while the service does not answer. */
export interface EventLog {
  /** Returns the id of the newest event, or `start` when there is none. */
  newest(): Promise<string>;
  /** Returns the next events in the order of the log; empty when there are none yet. */
  after(cursor: string): Promise<LoggedEvent[]>;
}

export function createEventLog(options: {
  cp: CardPayments;
  filter: string | null;
  signal: AbortSignal;
}): EventLog {
  const { cp, filter, signal } = options;
  const read = async (query: EventListParams): Promise<Event[]> => {
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      try {
        // The loop is the retry.
        return (await cp.events.list(query, { signal, timeoutMs: callTimeoutMs, maxRetries: 0 })).data;
      } catch (error) {
        signal.throwIfAborted();
        const askedMs = transientWaitMs(error);
        await sleep(Math.max(waitMs, askedMs), undefined, { signal });
      }
    }
  };

  return {
    async newest() {
      const [first] = await read({ limit: 1 });
      return first?.id ?? 'start';
    },
    async after(cursor) {
      const events = await read({
        ...(filter === null ? {} : { type: filter }),
        after: cursor,
        limit: 100,
      });
      return events.map((event) => ({ event, body: JSON.stringify(event) }));
    },
  };
}

/** Returns how long the service asks to wait, in ms. Throws what a retry does not change. */
function transientWaitMs(error: unknown): number {
  if (error instanceof APIConnectionError) return 0;
  if (error instanceof RateLimitError || error instanceof ServiceUnavailableError) {
    return (error.retryAfterSeconds ?? 0) * 1_000;
  }
  if (error instanceof APIError && !(error instanceof AuthenticationError) && error.status === 400) {
    throw refused(
      `The event log refused: ${error.message} If the cursor is older than the log, remove its file to begin anew.`,
    );
  }
  throw error;
}
