import type { Ledger } from './ledger.ts';
import type { Observations } from './observations.ts';
import type { AttemptRow, PaymentRow } from './rows.ts';
import { moneyCameIn } from './status-edges.ts';
import type { Report } from './violation.ts';

type Charges = Ledger['charges'];

const attemptsPerCheckout = 5;

/** How long a statement may take between its condition and what it writes, in ms. */
const statementMs = 500;

/** Compares a payment's charges at the network with its row, its attempts and its workflow. */
export function checkCharges(observations: Observations, payment: PaymentRow, report: Report): void {
  const attempts = observations.attempts.filter(({ paymentId }) => paymentId === payment.id);
  // A charge that the network captured after it had declined it may be missing from the rows (I25).
  const charges = (observations.ledgers.get(payment.id) ?? []).filter(
    ({ attemptId }) =>
      !observations.capturedLate.has(attemptId) ||
      attempts.some((each) => each.status === 'paid' && attemptId === `${payment.id}:${each.attemptNo}`),
  );
  checkMoney(payment, charges, report);
  checkAttempts(payment, attempts, charges, report);
  if (!observations.putBack.has(payment.id)) {
    checkSent(payment.id, attempts, observations.sentCharges, report);
  }
  checkAnswersOf(payment, attempts, report);
  if (!observations.movedDeadline.has(payment.id)) checkDeadline(payment, attempts, charges, report);
  checkAttemptsLeft(payment, attempts, report);
  checkEnd(payment, attempts, observations, report);
}

function checkMoney({ id, status, amountCents }: PaymentRow, charges: Charges, report: Report): void {
  const captured = charges.filter((charge) => charge.status === 'captured');
  if (captured.length > 1) report('I1', id, `${captured.length} captured charges`);
  const capturedAttempts = new Set(captured.map(({ attemptId }) => attemptId));
  if (capturedAttempts.size !== captured.length) report('I1', id, 'an attempt was captured twice');
  if (moneyCameIn(status) !== captured.length > 0) {
    report('I3', id, `payment ${status}, ${captured.length} captured at the network`);
  }
  for (const charge of charges) {
    if (charge.amountCents !== amountCents) {
      report('I3', id, `charged ${charge.amountCents} of ${amountCents}`);
    }
  }
  if (charges.some((charge) => charge.status === 'pending')) {
    report('I17', id, 'a charge is still open at the network');
  }
}

function checkAttempts(
  { id }: PaymentRow,
  attempts: readonly AttemptRow[],
  charges: Charges,
  report: Report,
): void {
  for (const [index, attempt] of attempts.entries()) {
    const next = attempts[index + 1];
    if (next && (attempt.endedAtMs === null || attempt.endedAtMs > next.startedAtMs + 1)) {
      report('I4', id, `attempt ${next.attemptNo} began while ${attempt.attemptNo} was open`);
    }
  }
  for (const { attemptId, status } of charges) {
    const attempt = attempts.find(({ attemptNo }) => attemptId === `${id}:${attemptNo}`);
    if (!attempt) report('I2', id, `the network knows attempt ${attemptId}, the rows do not`);
    else if (status === 'captured' && attempt.status !== 'paid') {
      report('I3', id, `captured attempt is ${attempt.status} in the rows`);
    }
  }
}

/**
 * Checks that no attempt was made after the one that was paid, and that each charge was sent once. Rows that
 * were put back know of less than was sent.
 */
function checkSent(
  id: string,
  attempts: readonly AttemptRow[],
  sentCharges: Observations['sentCharges'],
  report: Report,
): void {
  const paid = attempts.find(({ status }) => status === 'paid');
  for (const { attemptNo } of attempts) {
    if (paid && attemptNo > paid.attemptNo) {
      report('I16', id, `attempt ${attemptNo} was made although attempt ${paid.attemptNo} is paid`);
    }
    const sent = sentCharges?.get(`${id}:${attemptNo}`) ?? 0;
    if (sent > 1) report('I30', id, `the charge of attempt ${attemptNo} was sent ${sent} times`);
  }
}

/** The answers of a provider from which each status follows, deliberately written a second time. */
const answersOf: Record<string, readonly string[]> = {
  paid: ['captured'],
  declined: ['declined'],
  failed: ['failed'],
  voided: ['voided'],
  released: ['not_sent', 'token_rejected'],
};

/** Checks that the stored answer of an attempt that is over is the one from which its status follows. */
function checkAnswersOf({ id }: PaymentRow, attempts: readonly AttemptRow[], report: Report): void {
  for (const { attemptNo, status, answer } of attempts) {
    const allowed = answersOf[status];
    if (allowed && !allowed.includes(answer ?? '')) {
      report('I31', id, `attempt ${attemptNo} is ${status}, its stored answer ${answer}`);
    }
  }
}

/**
 * Checks that no attempt began after the deadline and was sent to the network, and that none was claimed
 * after it, both by PostgreSQL's clock.
 */
function checkDeadline(
  { id, expiresAtMs }: PaymentRow,
  attempts: readonly AttemptRow[],
  charges: Charges,
  report: Report,
): void {
  for (const { attemptNo, startedAtMs, claimedAtMs } of attempts) {
    // An attempt that was voided before it was sent has a row only of its end.
    const sent = charges.some(
      ({ attemptId, status }) => attemptId === `${id}:${attemptNo}` && status !== 'voided',
    );
    if (sent && startedAtMs > expiresAtMs + 1_000) {
      report('I16', id, `attempt ${attemptNo} began after the deadline`);
    }
    const lateMs = Math.round((claimedAtMs ?? 0) - expiresAtMs);
    if (lateMs > statementMs) report('I16', id, `attempt ${attemptNo} was claimed ${lateMs} ms too late`);
  }
}

function checkAttemptsLeft(payment: PaymentRow, attempts: readonly AttemptRow[], report: Report): void {
  const { id, checkoutStatus, attemptsLeft } = payment;
  const count = (wanted: string): number => attempts.filter(({ status }) => status === wanted).length;
  const declined = count('declined');
  const failed = count('failed');
  const used = attemptsPerCheckout - attemptsLeft;
  // An attempt that ended after the checkout had closed uses none.
  if (checkoutStatus !== 'expired' && used < declined + failed) {
    report('I8', id, `${declined} declines, ${used} attempts used`);
  }
  if (used > declined + failed + count('voided')) {
    report('I8', id, `${used} attempts used, only ${declined} declines`);
  }
}

/** The statuses of a checkout in which nothing can follow. */
const closedStatuses: readonly string[] = ['paid', 'expired'];

/** Tolerance, in ms, between the clocks that wrote two rows. */
const clocksDifferByMs = 1_000;

function checkEnd(
  payment: PaymentRow,
  attempts: readonly AttemptRow[],
  { workflows, terminated }: Pick<Observations, 'workflows' | 'terminated'>,
  report: Report,
): void {
  const { id, status, checkoutStatus, isFinal, finalAtMs } = payment;
  const workflow = workflows.get(id);
  const isLost = (workflow === 'TERMINATED' || workflow === 'MISSING') && terminated.has(id);
  const isEnded = workflow === 'COMPLETED' || isLost;
  for (const { attemptNo, claimedAtMs, endedAtMs } of attempts) {
    if (finalAtMs === null || claimedAtMs === null || claimedAtMs > finalAtMs) continue;
    if (endedAtMs === null || endedAtMs > finalAtMs + clocksDifferByMs) {
      report('I17', id, `final while attempt ${attemptNo} was out`);
    }
  }
  if (!isFinal) report('I17', id, `not final: ${checkoutStatus}, payment ${status}`);
  else if (!closedStatuses.includes(checkoutStatus))
    report('I17', id, `final, but its checkout is ${checkoutStatus}`);
  else if (!isEnded) report('I17', id, `final, but its workflow is ${workflow}`);
}
