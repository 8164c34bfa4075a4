import type { TimelineDispute, TimelineEvent, TimelineRefund, TimelineSources } from './sources.ts';
import type { DraftEntry } from './draft-entry.ts';

const titles: Readonly<Record<string, string>> = {
  'refund.created': 'Refund requested',
  'refund.submitted': 'Refund sent to the network',
  'refund.succeeded': 'Refund succeeded',
  'refund.failed': 'Refund failed',
  'refund.canceled': 'Refund canceled',
  'dispute.created': 'Dispute opened',
  'dispute.updated': 'Dispute changed',
  'dispute.evidenceDueSoon': 'Evidence is due soon',
  'dispute.submitted': 'Evidence submitted',
  'dispute.underReview': 'Dispute is under review',
  'dispute.won': 'Dispute closed: won',
  'dispute.lost': 'Dispute closed: lost',
  'dispute.withdrawn': 'Dispute closed: withdrawn',
};

/** Returns the entries of the refunds. */
export const refundEntries = ({ refunds, events }: TimelineSources): DraftEntry[] =>
  loggedAndRowEntries(events, { rank: 'refund', id: 'refundId', rows: refunds.map(refundRow) });

/** Returns the entries of the disputes. */
export const disputeEntries = ({ disputes, events }: TimelineSources): DraftEntry[] =>
  loggedAndRowEntries(events, { rank: 'dispute', id: 'disputeId', rows: disputes.map(disputeRow) });

/** The instants of a row, by the kind of their event; null for events that have not happened. */
interface Row {
  id: string;
  amountCents: number;
  instants: [kind: string, at: Date | null, detail?: DraftEntry['detail']][];
}

const refundRow = (refund: TimelineRefund): Row => ({
  id: refund.id,
  amountCents: refund.amountCents,
  instants: [
    ['refund.created', refund.createdAt],
    ['refund.submitted', refund.submittedAt],
    ['refund.succeeded', refund.succeededAt],
    ['refund.failed', refund.failedAt, { failureCode: refund.failureCode }],
  ],
});

const disputeRow = (dispute: TimelineDispute): Row => ({
  id: dispute.id,
  amountCents: dispute.amountCents,
  instants: [
    [
      'dispute.created',
      dispute.createdAt,
      { reason: dispute.reason, evidenceDueAt: dispute.evidenceDueAt.toISOString() },
    ],
    ['dispute.submitted', dispute.submittedAt],
    [`dispute.${dispute.resolution === 'withdrawn' ? 'withdrawn' : dispute.status}`, dispute.closedAt],
  ],
});

/** Returns entries from the event log while it has them, and otherwise from the rows. */
function loggedAndRowEntries(
  events: readonly TimelineEvent[],
  { rank, id, rows }: { rank: 'refund' | 'dispute'; id: string; rows: Row[] },
): DraftEntry[] {
  const entryAt = (at: Date, kind: string, detail: DraftEntry['detail']): DraftEntry => ({
    at,
    rank,
    kind,
    title: titles[kind] ?? kind,
    detail,
  });
  const logged = events.filter(({ type }) => type.startsWith(`${rank}.`));
  const isLogged = (kind: string, subject: string): boolean =>
    logged.some(({ type, subjectId }) => type === kind && subjectId === subject);
  return [
    ...logged.map(({ id: eventId, type, createdAt, subjectId, amountCents, failureCode }) =>
      entryAt(createdAt, type, {
        [id]: subjectId,
        amountCents,
        ...(failureCode === null ? {} : { failureCode }),
        eventId,
      }),
    ),
    ...rows.flatMap((row) =>
      row.instants.flatMap(([kind, at, detail]) =>
        at === null || isLogged(kind, row.id)
          ? []
          : [entryAt(at, kind, { [id]: row.id, amountCents: row.amountCents, ...detail })],
      ),
    ),
  ];
}
