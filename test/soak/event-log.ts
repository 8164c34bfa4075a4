import { z } from 'zod';
import { type Stack, callAndParse } from './api.ts';

const page = z.array(z.object({ id: z.string(), type: z.string(), data: z.object({ id: z.string() }) }));
export type LoggedEvent = z.infer<typeof page>[number];

/** Returns the id of the newest event, from which on the log is read. */
export async function newestEvent(stack: Stack): Promise<string> {
  const [newest] = await callAndParse(stack, { method: 'GET', path: '/v1/events?limit=1' }, page);
  return newest?.id ?? 'start';
}

/** Returns the whole log after an event, in its order. */
export async function readLog(stack: Stack, since: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (let after = since; ; after = events.at(-1)?.id ?? after) {
    const path = `/v1/events?after=${after}&limit=100`;
    const found = await callAndParse(stack, { method: 'GET', path }, page);
    if (found.length === 0) return events;
    events.push(...found);
  }
}
