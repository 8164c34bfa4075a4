import type { PaymentStatus, TerminalReason } from './statuses.ts';
import type {
  AttemptStatus,
  TimelineAttempt,
  TimelineDelivery,
  TimelineRequest,
  TimelineSources,
} from './timeline-sources.ts';

/** One thing that happened. `at` ISO 8601 in UTC; `kind` and the members of `detail`: docs/readings.md. */
export interface TimelineEntry {
  at: string;
  kind: string;
  title: string;
  detail: Record<string, string | number | boolean | null>;
}

/** Entries a timeline has at most; of a longer story the creation and the newest are told. */
export const maxTimelineEntries = 1_000;

/** Of what happened in the same millisecond, the cause is told first. */
const ranks = [
  'created',
  'attempt',
  'payment',
  'checkout',
  'refund',
  'dispute',
  'webhook',
  'request',
] as const;
type Rank = (typeof ranks)[number];

interface Told extends Omit<TimelineEntry, 'at'> {
  at: Date;
  rank: Rank;
}

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

const statusTitles: Readonly<Record<PaymentStatus, string>> = {
  pending: 'Payment is pending again',
  requiresAction: 'The customer must complete a step',
  paid: 'Payment is paid',
  failed: 'Payment failed',
  refunded: 'Payment is refunded',
  partiallyRefunded: 'Payment is partially refunded',
  disputed: 'Payment is disputed',
  disputeWon: 'Dispute is won',
  disputeLost: 'Dispute is lost',
};

const closingTitles: Readonly<Record<TerminalReason, string>> = {
  checkout_expired: 'Checkout closed: its deadline passed',
  attempts_exhausted: 'Checkout closed: no attempts are left',
  provider_failed: 'Checkout closed: the network refused for good',
};

function tellStates({ states, attempts, events }: TimelineSources): Told[] {
  const [first] = states;
  if (!first) return [];
  const { payment } = first;
  const told: Told[] = [
    {
      at: payment.createdAt,
      rank: 'created',
      kind: 'payment.created',
      title: 'Payment created',
      detail: {
        reference: payment.reference,
        amountCents: payment.amountCents,
        currency: 'USD',
        checkoutMode: payment.checkoutMode,
      },
    },
  ];
  for (const [index, after] of states.entries()) {
    const before = states[index - 1]?.payment;
    if (!before) continue;
    const now = after.payment;
    if (now.status !== before.status) {
      const event = events.find(
        ({ type, sequence }) =>
          type === `payment.${now.status}` && sequence > before.eventSeq && sequence <= now.eventSeq,
      );
      const late = now.status === 'paid' && before.paidAt === null && now.checkoutStatus === 'expired';
      const open = attempts.findLast(
        ({ startedAt, resolvedAt }) =>
          startedAt <= after.from && (resolvedAt === null || resolvedAt >= after.from),
      );
      told.push({
        at: after.from,
        rank: 'payment',
        kind: `payment.${now.status}`,
        title: late ? 'Payment is paid after its checkout closed' : statusTitles[now.status],
        detail: {
          previousStatus: before.status,
          ...(now.status === 'requiresAction' && open ? { attemptNo: open.attemptNo } : {}),
          ...(now.status === 'paid' ? { method: now.method, ...cardOf(now) } : {}),
          ...(now.status === 'failed'
            ? { failureCode: now.failureCode, failureMessage: now.failureMessage }
            : {}),
          ...(now.refundedCents === before.refundedCents ? {} : { refundedCents: now.refundedCents }),
          ...(late ? { late: true } : {}),
          ...(event ? { eventId: event.id } : {}),
        },
      });
    }
    if (now.terminalReason !== null && before.terminalReason === null) {
      told.push({
        at: after.from,
        rank: 'checkout',
        kind: 'checkout.closed',
        title: closingTitles[now.terminalReason],
        detail: { terminalReason: now.terminalReason },
      });
    }
    if (now.expiresAt.getTime() !== before.expiresAt.getTime()) {
      told.push({
        at: after.from,
        rank: 'checkout',
        kind: 'checkout.deadlineMoved',
        title: 'Checkout deadline moved',
        detail: { expiresAt: now.expiresAt.toISOString() },
      });
    }
  }
  return told;
}

const resolvedTitles: Readonly<Record<Exclude<AttemptStatus, 'processing' | 'requiresAction'>, string>> = {
  paid: 'took the money',
  declined: 'was declined',
  failed: 'failed for good',
  voided: 'was closed at the network, nothing was charged',
  released: 'was not made',
};

function tellAttempt(attempt: TimelineAttempt): Told[] {
  const { attemptNo, method, status, startedAt, firstUnknownAt, resolvedAt } = attempt;
  const told: Told[] = [
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

const cardOf = ({ cardBrand, cardLast4 }: { cardBrand: string | null; cardLast4: string | null }) =>
  cardLast4 === null ? {} : { cardBrand, cardLast4 };

const refundTitles: Readonly<Record<string, string>> = {
  'refund.created': 'Refund asked for',
  'refund.submitted': 'Refund sent to the network',
  'refund.succeeded': 'Refund succeeded',
  'refund.failed': 'Refund failed',
  'refund.canceled': 'Refund canceled',
};

/** From the event log where it still is, otherwise from the rows. */
function tellRefunds({ refunds, events }: TimelineSources): Told[] {
  const tell = (at: Date, kind: string, detail: Told['detail']): Told => ({
    at,
    rank: 'refund',
    kind,
    title: refundTitles[kind] ?? kind,
    detail,
  });
  const logged = events.filter(({ type }) => type.startsWith('refund.'));
  const isLogged = (kind: string, id: string): boolean =>
    logged.some(({ type, subjectId }) => type === kind && subjectId === id);
  return [
    ...logged.map(({ id, type, createdAt, subjectId, amountCents, failureCode }) =>
      tell(createdAt, type, {
        refundId: subjectId,
        amountCents,
        ...(failureCode === null ? {} : { failureCode }),
        eventId: id,
      }),
    ),
    ...refunds.flatMap((refund) => {
      const instants: [string, Date | null][] = [
        ['refund.created', refund.createdAt],
        ['refund.submitted', refund.submittedAt],
        ['refund.succeeded', refund.succeededAt],
        ['refund.failed', refund.failedAt],
      ];
      return instants.flatMap(([kind, at]) =>
        at === null || isLogged(kind, refund.id)
          ? []
          : [
              tell(at, kind, {
                refundId: refund.id,
                amountCents: refund.amountCents,
                ...(kind === 'refund.failed' ? { failureCode: refund.failureCode } : {}),
              }),
            ],
      );
    }),
  ];
}

const disputeTitles: Readonly<Record<string, string>> = {
  'dispute.created': 'Dispute opened',
  'dispute.evidenceDueSoon': 'Evidence is due soon',
  'dispute.submitted': 'Evidence submitted',
  'dispute.underReview': 'Dispute is under review',
  'dispute.won': 'Dispute closed: won',
  'dispute.lost': 'Dispute closed: lost',
  'dispute.withdrawn': 'Dispute closed: withdrawn',
};

function tellDisputes({ disputes, events }: TimelineSources): Told[] {
  const tell = (at: Date, kind: string, detail: Told['detail']): Told => ({
    at,
    rank: 'dispute',
    kind,
    title: disputeTitles[kind] ?? kind,
    detail,
  });
  const logged = events.filter(({ type }) => type.startsWith('dispute.'));
  const isLogged = (kind: string, id: string): boolean =>
    logged.some(({ type, subjectId }) => type === kind && subjectId === id);
  return [
    ...logged.map(({ id, type, createdAt, subjectId, amountCents }) =>
      tell(createdAt, type, { disputeId: subjectId, amountCents, eventId: id }),
    ),
    ...disputes.flatMap((dispute) => {
      const closed = dispute.resolution === 'withdrawn' ? 'withdrawn' : dispute.status;
      const instants: [string, Date | null][] = [
        ['dispute.created', dispute.createdAt],
        ['dispute.submitted', dispute.submittedAt],
        [`dispute.${closed}`, dispute.closedAt],
      ];
      return instants.flatMap(([kind, at]) =>
        at === null || isLogged(kind, dispute.id)
          ? []
          : [
              tell(at, kind, {
                disputeId: dispute.id,
                amountCents: dispute.amountCents,
                ...(kind === 'dispute.created'
                  ? { reason: dispute.reason, evidenceDueAt: dispute.evidenceDueAt.toISOString() }
                  : {}),
              }),
            ],
      );
    }),
  ];
}

function tellDelivery(delivery: TimelineDelivery): Told {
  const { eventId, type, endpointId, attemptNo, at, statusCode, error } = delivery;
  const delivered = statusCode !== null && statusCode >= 200 && statusCode < 300 && error === null;
  return {
    at,
    rank: 'webhook',
    kind: delivered ? 'webhook.delivered' : 'webhook.failed',
    title: delivered ? `Webhook ${type} delivered` : `Webhook ${type} not delivered`,
    detail: { eventId, type, endpointId, attemptNo, statusCode, ...(error === null ? {} : { error }) },
  };
}

function tellRequest(request: TimelineRequest): Told {
  const { id, method, route, answeredAt, status, errorCode } = request;
  return {
    at: answeredAt,
    rank: 'request',
    kind: 'request.answered',
    title: `${method} ${route} answered ${status}`,
    detail: { requestId: id, method, route, status, ...(errorCode === null ? {} : { errorCode }) },
  };
}
