import type { Ledger } from './ledger.ts';
import type { Observations } from './observations.ts';
import type { DisputeRow, PaymentRow, RefundRow } from './rows.ts';
import type { Report } from './violation.ts';

type Dispute = Ledger['disputes'][number];
type Refund = Ledger['refunds'][number];

/** Compares the refunds at the network with rows, events and answers. The network's ledger is the truth. */
export function checkRefunds(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id, amountCents, refundedCents, status } = payment;
  const rows = observations.refunds.filter(({ paymentId }) => paymentId === id);
  const ledger = observations.ledgerRefunds.filter(({ paymentId }) => paymentId === id);
  const isElsewhere = ({ key }: Refund): boolean => observations.refundedElsewhere.has(key);
  const isOf = (row: RefundRow, refund: Refund): boolean =>
    isElsewhere(refund) ? row.reference === refund.refundId : row.id === refund.key;
  for (const refund of ledger) {
    const row = rows.find((each) => isOf(each, refund));
    // A refund that was made elsewhere, and failed before it was reported, needs no row.
    if (!row && isElsewhere(refund) && refund.status === 'failed') continue;
    if (!row) report('I22', id, `the network knows refund ${refund.key}, the rows do not`);
    else if (row.status === 'canceled') {
      report('I22', id, `refund ${row.id} was canceled and ${refund.status}`);
    } else if (row.amountCents !== refund.amountCents) {
      report('I22', id, `refund ${row.id} of ${row.amountCents} gave back ${refund.amountCents}`);
    }
  }
  const own = rows.filter(
    (row) => !row.isOfLateSuccess && !ledger.some((refund) => isElsewhere(refund) && isOf(row, refund)),
  );
  for (const row of rows) {
    const refund = ledger.find((each) => isOf(row, each));
    checkRefund(observations, row, refund, report);
  }

  const sum = ledger
    .filter((refund) => refund.status === 'succeeded')
    .reduce((total, refund) => total + refund.amountCents, 0);
  if (sum !== refundedCents) report('I22', id, `${sum} were given back, the payment says ${refundedCents}`);
  if (refundedCents < 0 || refundedCents > amountCents) {
    report('I14', id, `${refundedCents} of ${amountCents} refunded`);
  }
  const byRefunds = ['paid', 'partiallyRefunded', 'refunded'];
  const expected = byRefunds[sum === 0 ? 0 : sum < amountCents ? 1 : 2];
  if (byRefunds.includes(status) && status !== expected) report('I22', id, `${status}, ${sum} given back`);

  checkKeys(observations, payment, { op: 'refund', ids: own.map((row) => row.id) }, report);
}

function checkRefund(
  observations: Observations,
  row: RefundRow,
  refund: Refund | undefined,
  report: Report,
): void {
  if (row.status === 'canceled') return;
  // On a network that does not store refused refunds, a missing refund has failed.
  const there = refund?.status ?? (observations.keepsRefusedRefunds ? 'unknown' : 'failed');
  if (row.status === 'pending') report('I17', row.paymentId, `refund ${row.id} is still pending`);
  else if (there !== row.status) {
    report('I22', row.paymentId, `refund ${row.id} is ${row.status}, at the network ${there}`);
  }
  const last = observations.events.findLast(
    ({ type, objectId }) => type.startsWith('refund.') && objectId === row.id,
  );
  if (last?.type !== `refund.${row.status}`) {
    const type = last?.type ?? 'none';
    report('I10', row.paymentId, `refund ${row.id} is ${row.status}, the last event is ${type}`);
  }
}

/** Compares the network's disputes with rows, events and answers. */
export function checkDisputes(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id, status } = payment;
  const rows = observations.disputes.filter(({ paymentId }) => paymentId === id);
  const network = observations.networkDisputes.filter(({ paymentId }) => paymentId === id);
  for (const dispute of network) {
    const row = rows.find(({ reference }) => reference === dispute.disputeId);
    if (row) checkDispute(observations, row, dispute, report);
    else report('I23', id, `the network knows dispute ${dispute.disputeId}, the rows do not`);
  }
  if (rows.length > network.length) report('I23', id, 'a dispute the network does not know');

  const isOpen = network.some((dispute) => ['needsResponse', 'underReview'].includes(dispute.status));
  if (status === 'disputed' && !isOpen) report('I23', id, 'disputed, but no dispute is open');
  if (isOpen && !['disputed', 'refunded', 'disputeLost'].includes(status)) {
    report('I23', id, `a dispute is open, the payment is ${status}`);
  }
  for (const [ended, wanted] of [
    ['disputeWon', 'won'],
    ['disputeLost', 'lost'],
  ]) {
    if (status === ended && !rows.some((row) => row.status === wanted)) {
      report('I23', id, `${ended}, but no dispute was ${wanted}`);
    }
  }

  // Some cards' disputes open automatically, and the harness opens inquiries. Those are not counted here.
  const ordered = network.filter(({ reason }) => reason === 'productNotReceived');
  const ids = ordered.map(
    ({ disputeId }) => rows.find(({ reference }) => reference === disputeId)?.id ?? disputeId,
  );
  checkKeys(observations, payment, { op: 'dispute', ids }, report);
  const own = network.filter(({ reason }) => reason === 'fraudulent');
  if (own.length > 1) report('I23', id, 'the card disputed twice');
}

function checkDispute(observations: Observations, row: DisputeRow, there: Dispute, report: Report): void {
  checkStage(row, there, report);
  const own = there.status === 'withdrawn' ? 'won' : there.status;
  if (row.status !== own) {
    report('I23', row.paymentId, `dispute ${row.id} is ${row.status}, at the network ${own}`);
    return;
  }
  const last = observations.events.findLast(
    ({ type, objectId }) =>
      type.startsWith('dispute.') && type !== 'dispute.evidenceDueSoon' && objectId === row.id,
  );
  const isMoved = observations.disputed.has(row.paymentId) && last?.type === 'dispute.updated';
  if (last?.type !== `dispute.${lastEventOf(row)}` && !isMoved) {
    const type = last?.type ?? 'none';
    report('I10', row.paymentId, `dispute ${row.id} is ${row.status}, the last event is ${type}`);
  }
}

/** Compares amount, stage and deadline with the network's, where it has them. */
function checkStage(row: DisputeRow, there: Dispute, report: Report): void {
  const { paymentId, id, amountCents, stage, evidenceDueAtMs } = row;
  if (amountCents !== there.amountCents) {
    report('I23', paymentId, `dispute ${id} is of ${amountCents}, at the network of ${there.amountCents}`);
  }
  if (there.stage !== undefined && stage !== there.stage) {
    report('I23', paymentId, `dispute ${id} is a ${stage}, at the network a ${there.stage}`);
  }
  const dueAtMs = Date.parse(there.evidenceDueAt ?? '');
  if (Math.abs(dueAtMs - evidenceDueAtMs) > 1_000) {
    report('I23', paymentId, `evidence for ${id} is due ${Math.round(dueAtMs - evidenceDueAtMs)} ms off`);
  }
}

function lastEventOf({ status, resolution }: DisputeRow): string {
  if (resolution === 'withdrawn') return 'withdrawn';
  return status === 'needsResponse' ? 'created' : status;
}

/** Checks that every answered key has its object, and that there are no more objects than keys. */
function checkKeys(
  { history }: Observations,
  { id }: PaymentRow,
  { op, ids }: { op: 'refund' | 'dispute'; ids: readonly string[] },
  report: Report,
): void {
  const asked = history.filter((call) => call.op === op && call.paymentId === id);
  const keys = new Set(asked.map(({ key }) => key));
  const answered = new Map(
    asked.filter(({ result }) => result === 'ok').map(({ key, data }) => [key, data?.id ?? '']),
  );
  const invariant = op === 'refund' ? 'I22' : 'I23';
  for (const answer of answered.values()) {
    if (!ids.includes(answer)) report('I2', id, `${op} ${answer} was answered 201, but it is not there`);
  }
  if (new Set(answered.values()).size !== answered.size) report(invariant, id, `two keys answered one ${op}`);
  const unanswered = keys.size - answered.size;
  if (ids.length > keys.size) report(invariant, id, `${ids.length} of ${op}, ${keys.size} keys`);
  const extra = ids.filter((each) => ![...answered.values()].includes(each));
  if (extra.length > unanswered) report(invariant, id, `a ${op} that no key made`);
}
