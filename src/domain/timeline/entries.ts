import { attemptEntries, captureEntry } from './attempts.ts';
import { deliveryEntry, requestEntry } from './calls.ts';
import { disputeEntries, refundEntries } from './refunds-and-disputes.ts';
import type { TimelineSources } from './sources.ts';
import { stateEntries } from './states.ts';
import { type TimelineEntry, entryOrder } from './draft-entry.ts';

/** The most entries of a timeline; a longer one keeps the creation and the newest entries. */
export const maxTimelineEntries = 1_000;

/**
 * Returns a payment's entries up to `until`, inclusive, oldest first. Pure: the entries up to an instant are
 * the same at every reading. docs/readings.md.
 */
export function timelineEntries(sources: TimelineSources, until: Date): TimelineEntry[] {
  const entries = [
    ...stateEntries(sources),
    ...sources.attempts.flatMap(attemptEntries),
    ...sources.captures.map(captureEntry),
    ...refundEntries(sources),
    ...disputeEntries(sources),
    ...sources.deliveries.map(deliveryEntry),
    ...(sources.requests ?? []).map(requestEntry),
  ]
    .filter(({ at }) => at <= until)
    .toSorted(
      (a, b) => a.at.getTime() - b.at.getTime() || entryOrder.indexOf(a.rank) - entryOrder.indexOf(b.rank),
    );
  const shown =
    entries.length > maxTimelineEntries
      ? [...entries.slice(0, 1), ...entries.slice(1 - maxTimelineEntries)]
      : entries;
  return shown.map(({ at, kind, title, detail }) => ({ at: at.toISOString(), kind, title, detail }));
}
