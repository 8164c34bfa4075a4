import type { DifferenceKind, ReportedFacts } from './reconciliation.ts';

/** A difference as lists of a run show it. */
interface Difference {
  number: number;
  kind: DifferenceKind;
  paymentId: string | null;
  reference: string | null;
  ours: ReportedFacts | null;
  theirs: ReportedFacts | null;
  action: string;
  createdAt: Date;
  settledAt: Date | null;
  note: string | null;
}

export const differenceColumns = [
  'number',
  'kind',
  'paymentId',
  'reference',
  'oursAmountCents',
  'oursStatus',
  'theirsAmountCents',
  'theirsCurrency',
  'theirsStatus',
  'action',
  'createdAt',
  'settledAt',
  'note',
] as const;

/** Returns a difference as a row of CSV. */
export const differenceRow = ({ ours, theirs, ...one }: Difference) => ({
  ...one,
  oursAmountCents: ours?.amountCents ?? null,
  oursStatus: ours?.status ?? null,
  theirsAmountCents: theirs?.amountCents ?? null,
  theirsCurrency: theirs?.currency ?? null,
  theirsStatus: theirs?.status ?? null,
});

/** A run as lists show it. */
interface Run {
  id: string;
  merchantId: string;
  environment: string;
  spanFrom: Date;
  spanTo: Date;
  dueAt: Date | null;
  status: string;
  problem: string | null;
  charges: number;
  refunds: number;
  disputes: number;
  needsAttention: number;
  healed: number;
  startedAt: Date;
  finishedAt: Date | null;
}

export const runColumns = [
  'runId',
  'merchantId',
  'environment',
  'from',
  'to',
  'nightly',
  'status',
  'problem',
  'charges',
  'refunds',
  'disputes',
  'needsAttention',
  'healed',
  'startedAt',
  'finishedAt',
] as const;

/** Returns a run as a row of a list. */
export const runRow = (run: Run) => ({
  runId: run.id,
  merchantId: run.merchantId,
  environment: run.environment,
  from: run.spanFrom,
  to: run.spanTo,
  nightly: run.dueAt !== null,
  status: run.status,
  problem: run.problem,
  charges: run.charges,
  refunds: run.refunds,
  disputes: run.disputes,
  needsAttention: run.needsAttention,
  healed: run.healed,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
});
