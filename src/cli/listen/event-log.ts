import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ListenError } from './target.ts';

const callTimeoutMs = 10_000;
const longestWaitMs = 10_000;

const page = z.object({ data: z.array(z.looseObject({ id: z.string(), type: z.string() })) });

/** An event of the log, and the exact text that a webhook of it carries. */
export interface LoggedEvent {
  id: string;
  type: string;
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
  baseUrl: string;
  apiKey: string;
  filter: string | null;
  signal: AbortSignal;
}): EventLog {
  const read = async (query: Record<string, string>): Promise<z.infer<typeof page>['data']> => {
    const search = new URLSearchParams(query).toString();
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      let answer: Response;
      try {
        answer = await fetch(`${options.baseUrl}/v1/events?${search}`, {
          headers: { authorization: `Bearer ${options.apiKey}` },
          signal: AbortSignal.any([options.signal, AbortSignal.timeout(callTimeoutMs)]),
        });
        if (answer.ok) return page.parse(await answer.json()).data;
      } catch (error) {
        options.signal.throwIfAborted();
        if (error instanceof z.ZodError) throw new ListenError(`${options.baseUrl} is not this service`);
        await sleep(waitMs, undefined, { signal: options.signal });
        continue;
      }
      await refuseHopeless(answer);
      const asked = Number(answer.headers.get('retry-after')) * 1000;
      await sleep(Math.max(waitMs, asked || 0), undefined, { signal: options.signal });
    }
  };
  const filter: Record<string, string> = options.filter === null ? {} : { type: options.filter };

  return {
    async newest() {
      const [first] = await read({ limit: '1' });
      return first?.id ?? 'start';
    },
    async after(cursor) {
      const events = await read({ ...filter, after: cursor, limit: '100' });
      return events.map((event) => ({ id: event.id, type: event.type, body: JSON.stringify(event) }));
    },
  };
}

/** Throws `ListenError` for an answer that a retry does not change. */
async function refuseHopeless(answer: Response): Promise<void> {
  if (answer.status === 401) throw new ListenError('the API key is not accepted: it may be revoked');
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    const body = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    throw new ListenError(
      `the event log refused: ${body.error?.message ?? answer.status}; if the cursor is older than the log, remove its file to begin anew`,
    );
  }
}
