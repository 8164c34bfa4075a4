import { attemptEntries } from './attempts.ts';
import { deliveryEntry, requestEntry } from './calls.ts';
import { disputeEntries, refundEntries } from './refunds-and-disputes.ts';
import type { TimelineSources } from './sources.ts';
import { stateEntries } from './states.ts';
import { type TimelineEntry, ranks } from './draft-entry.ts';

/** Entries a timeline has at most; of a longer story the creation and the newest are told. */
export const maxTimelineEntries = 1_000;

/**
 * Returns what happened to a payment up to `until`, inclusive, oldest first. Pure: what is told of an instant
 * is the same whenever it is asked. docs/readings.md.
 */
export function timelineEntries(sources: TimelineSources, until: Date): TimelineEntry[] {
  const told = [
    ...stateEntries(sources),
    ...sources.attempts.flatMap(attemptEntries),
    ...refundEntries(sources),
    ...disputeEntries(sources),
    ...sources.deliveries.map(deliveryEntry),
    ...(sources.requests ?? []).map(requestEntry),
  ]
    .filter(({ at }) => at <= until)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || ranks.indexOf(a.rank) - ranks.indexOf(b.rank));
  const shown =
    told.length > maxTimelineEntries ? [...told.slice(0, 1), ...told.slice(1 - maxTimelineEntries)] : told;
  return shown.map(({ at, kind, title, detail }) => ({ at: at.toISOString(), kind, title, detail }));
}
