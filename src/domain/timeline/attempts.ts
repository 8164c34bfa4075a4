import { formatMoney } from '../money.ts';
import type { AttemptStatus, TimelineAttempt, TimelineCapture } from './sources.ts';
import { type DraftEntry, cardOf } from './draft-entry.ts';

const resolvedTitles: Readonly<Record<Exclude<AttemptStatus, 'processing' | 'requiresAction'>, string>> = {
  paid: 'succeeded',
  declined: 'was declined',
  failed: 'failed permanently',
  voided: 'was closed at the network, nothing was charged',
  released: 'was not sent',
};

/** Returns the entries of an attempt: its beginning, its unknown outcome if it had one, and its end. */
export function attemptEntries(attempt: TimelineAttempt): DraftEntry[] {
  const { attemptNo, method, status, startedAt, firstUnknownAt, resolvedAt } = attempt;
  const entries: DraftEntry[] = [
    {
      at: startedAt,
      rank: 'attempt',
      kind: 'attempt.started',
      title: `Attempt ${attemptNo} began`,
      detail: { attemptNo, method },
    },
  ];
  if (firstUnknownAt) {
    entries.push({
      at: firstUnknownAt,
      rank: 'attempt',
      kind: 'attempt.unknown',
      title: `Attempt ${attemptNo}: outcome unknown; the network is queried`,
      detail: { attemptNo },
    });
  }
  if (resolvedAt && status !== 'processing' && status !== 'requiresAction') {
    entries.push({
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
  return entries;
}

/** Returns the entry of captured money that no paid attempt has. */
export function captureEntry({
  attemptNo,
  amountCents,
  currency,
  capturedAt,
  foundAt,
}: TimelineCapture): DraftEntry {
  return {
    at: foundAt,
    rank: 'payment',
    kind: 'payment.unexpectedCapture',
    title: `Unexpected capture: the network took ${formatMoney(amountCents, currency)} under attempt ${attemptNo}`,
    detail: { attemptNo, amountCents, currency, capturedAt: capturedAt?.toISOString() ?? null },
  };
}
