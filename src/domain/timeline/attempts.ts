import type { AttemptStatus, TimelineAttempt } from './sources.ts';
import { type DraftEntry, cardOf } from './draft-entry.ts';

const resolvedTitles: Readonly<Record<Exclude<AttemptStatus, 'processing' | 'requiresAction'>, string>> = {
  paid: 'took the money',
  declined: 'was declined',
  failed: 'failed for good',
  voided: 'was closed at the network, nothing was charged',
  released: 'was not made',
};

/** Returns an attempt's beginning, its unknown outcome if it had one, and how it ended. */
export function attemptEntries(attempt: TimelineAttempt): DraftEntry[] {
  const { attemptNo, method, status, startedAt, firstUnknownAt, resolvedAt } = attempt;
  const told: DraftEntry[] = [
    {
      at: startedAt,
      rank: 'attempt',
      kind: 'attempt.started',
      title: `Attempt ${attemptNo} began`,
      detail: { attemptNo, method },
    },
  ];
  if (firstUnknownAt) {
    told.push({
      at: firstUnknownAt,
      rank: 'attempt',
      kind: 'attempt.unknown',
      title: `Attempt ${attemptNo}: the answer is unknown, the network is asked`,
      detail: { attemptNo },
    });
  }
  if (resolvedAt && status !== 'processing' && status !== 'requiresAction') {
    told.push({
      at: resolvedAt,
      rank: 'attempt',
      kind: `attempt.${status}`,
      title: `Attempt ${attemptNo} ${resolvedTitles[status]}`,
      detail: {
        attemptNo,
        method,
        ...cardOf(attempt),
        ...(attempt.failureCode === null
          ? {}
          : { failureCode: attempt.failureCode, failureMessage: attempt.failureMessage }),
      },
    });
  }
  return told;
}
