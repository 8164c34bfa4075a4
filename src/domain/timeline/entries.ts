import { tellAttempt } from './attempts.ts';
import { tellDelivery, tellRequest } from './calls.ts';
import { tellDisputes, tellRefunds } from './refunds-and-disputes.ts';
import type { TimelineSources } from './sources.ts';
import { tellStates } from './states.ts';
import { type TimelineEntry, ranks } from './draft-entry.ts';

/** Entries a timeline has at most; of a longer story the creation and the newest are told. */
export const maxTimelineEntries = 1_000;

/**
 * Returns what happened to a payment up to `until`, inclusive, oldest first. Pure: what is told of an instant
 * is the same whenever it is asked. docs/readings.md.
 */
export function timelineEntries(sources: TimelineSources, until: Date): TimelineEntry[] {
  const told = [
    ...tellStates(sources),
    ...sources.attempts.flatMap(tellAttempt),
    ...tellRefunds(sources),
    ...tellDisputes(sources),
    ...sources.deliveries.map(tellDelivery),
    ...(sources.requests ?? []).map(tellRequest),
  ]
    .filter(({ at }) => at <= until)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || ranks.indexOf(a.rank) - ranks.indexOf(b.rank));
  const shown =
    told.length > maxTimelineEntries ? [...told.slice(0, 1), ...told.slice(1 - maxTimelineEntries)] : told;
  return shown.map(({ at, kind, title, detail }) => ({ at: at.toISOString(), kind, title, detail }));
}
