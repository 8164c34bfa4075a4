import type { CardPayments, Event, EventListParams } from '../../../typescript/src/index.ts';
import { untilAnswered } from './until-answered.ts';

const callTimeoutMs = 10_000;

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
  const read = (query: EventListParams): Promise<Event[]> =>
    untilAnswered(
      signal,
      // This loop retries, so the client does not.
      async () => (await cp.events.list(query, { signal, timeoutMs: callTimeoutMs, maxRetries: 0 })).data,
    );

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
