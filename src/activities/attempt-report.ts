import type { Keyring } from '../crypto/keyring.ts';
import { actionToken, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import type { Database } from '../db/server/database.ts';
import {
  type AnswerDetails,
  type RecordableAnswer,
  loadAnswer,
  recordAnswer,
} from '../db/payments/attempt-answers.ts';
import type { Outcome } from '../domain/checkout.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import type { AttemptReference, Charge, PaymentNetwork } from '../providers/ports.ts';
import { type ChargeProblem, alertChargeProblem } from '../db/payments/charge-alerts.ts';
import type { Committed } from './transitions.ts';

/** An activity's report on an attempt. It holds no secret, because the workflow's history stores it. */
export interface AttemptReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
  /** The network's answer contradicts the request: an operator is alerted at once. */
  suspicious?: true;
  /** The transition that follows is already committed with the answer, under this number. */
  committedTransition?: Committed & { seq: number };
}

/** A provider's answer: the workflow's report, and what is stored; null when the answer decides nothing. */
export interface ProviderAnswer {
  report: AttemptReport;
  record: { answer: RecordableAnswer; details: AnswerDetails } | null;
  /** The alert's code when the network's answer contradicts the request or is not understood. */
  problem?: ChargeProblem;
}

/** The report of an unknown outcome, which only a query to the network resolves. */
export const unknownReport: AttemptReport = { outcome: { status: 'unknown' }, card: null };

/** Returns the report that nothing was sent. `recorded`: the vault had accepted the card before. */
export const notStarted = (recorded: boolean): AttemptReport => ({
  outcome: { status: 'notStarted', recorded },
  card: null,
});

/** What identifies an attempt. */
export interface Attempt {
  paymentId: string;
  attemptNo: number;
}

export interface ReportDeps {
  database: Database;
  keyring: Keyring;
}

/** The answer about a charge whose outcome is still open. */
const undecided: ProviderAnswer = { report: unknownReport, record: null };

/** Returns why a charge must not be acted on; null when it is the one that was requested. */
function chargeProblem(charge: Charge, amountCents: number): ChargeProblem | null {
  if (charge.status === 'unreadable') return 'unknown_state';
  if (charge.currency !== 'USD') return 'other_currency';
  return charge.amountCents === amountCents ? null : 'other_amount';
}

/**
 * Returns what the network's charge means for an attempt. `card`: facts that are stored with the answer. An
 * action's secrets are sealed for the rows and kept out of the report.
 */
export function answerOf(
  { keyring }: Pick<ReportDeps, 'keyring'>,
  charge: Charge,
  { paymentId, attemptNo, amountCents }: Attempt & { amountCents: number },
  card: AnswerDetails['card'] = null,
): ProviderAnswer {
  const problem = chargeProblem(charge, amountCents);
  if (problem !== null) return { report: { ...unknownReport, suspicious: true }, record: null, problem };
  const decided = (
    answer: RecordableAnswer,
    outcome: Outcome,
    details: AnswerDetails = {},
  ): ProviderAnswer => ({
    report: { outcome, card: charge.card },
    record: { answer, details: { card, ...details } },
  });
  switch (charge.status) {
    case 'captured':
      return decided('captured', { status: 'paid' }, { capturedAtMs: charge.capturedAtMs });
    case 'declined':
    case 'failed': {
      const failure = boundedFailure(charge.failureCode, charge.message);
      return decided(charge.status, { status: charge.status, ...failure }, { failure });
    }
    case 'voided':
      return decided('voided', { status: 'voided' });
    case 'pending':
    case 'requires_action': {
      const { action } = charge;
      // A wallet or Pix charge is pending at the network while the customer has a step to take. Without such
      // a step it is undecided.
      if (action === null) return undecided;
      const sealed = keyring.seal(JSON.stringify(action), sealContext.action(paymentId, attemptNo));
      const token = actionToken(keyring, paymentId, attemptNo, null);
      const tokenHash = keyring.lookupHash(hashPurposes.actionToken, token);
      return decided(
        'requires_action',
        { status: 'requiresAction' },
        { action: { kind: action.kind, sealed, tokenHash } },
      );
    }
    case 'unreadable':
      return undecided;
  }
}

/**
 * Returns the network's charge once it is final. At some networks the holder of a declined object's secret
 * could still charge it; there the object is canceled before the decline counts. Throws when that is not
 * certain.
 */
export async function finalCharge(
  network: PaymentNetwork,
  charge: Charge,
  reference: AttemptReference,
): Promise<Charge> {
  if (!isDecline(charge) || !network.declinesStayOpen) return charge;
  const now = await network.cancel(reference);
  // The original decline counts, unless the object turns out to have been charged after it.
  return now.status === 'voided' || isDecline(now) ? charge : now;
}

const isDecline = ({ status }: Charge): boolean => status === 'declined' || status === 'failed';

/**
 * Stores an answer without a transition, and returns the report; the workflow decides the transition. Alerts
 * an operator when the answer contradicts the request or is not understood.
 */
export async function recordAnswerOnly(
  { database }: Pick<ReportDeps, 'database'>,
  attempt: Attempt,
  { report, record, problem }: ProviderAnswer,
): Promise<AttemptReport> {
  if (record) await recordAnswer(database, attempt, record.answer, record.details);
  if (problem) await alertChargeProblem(database, attempt.paymentId, problem);
  return report;
}

/**
 * Returns the stored answer of an attempt if it is final; null otherwise. Callers read it before they query
 * the network, because the network does not know an attempt that was not sent.
 */
export async function finalReport(
  deps: Pick<ReportDeps, 'database'>,
  attempt: Attempt,
): Promise<AttemptReport | null> {
  const report = await recordedReport(deps, attempt);
  const { status } = report.outcome;
  return status === 'unknown' || status === 'requiresAction' ? null : report;
}

/**
 * Returns the stored answer of an attempt that was claimed before, as when a lost workflow task is repeated,
 * also in another process. The outcome is unknown while no answer is stored.
 */
export async function recordedReport(
  { database }: Pick<ReportDeps, 'database'>,
  attempt: Attempt,
): Promise<AttemptReport> {
  const recorded = await loadAnswer(database, attempt);
  if (!recorded) return unknownReport;
  const { cardBrand: brand, cardLast4: last4, failureCode, message } = recorded;
  const card = brand !== null && last4 !== null ? { brand, last4 } : null;
  switch (recorded.answer) {
    case 'captured':
      return { outcome: { status: 'paid' }, card };
    case 'declined':
    case 'failed':
      return {
        outcome: { status: recorded.answer, ...boundedFailure(failureCode, message) },
        card,
      };
    case 'requires_action':
      return { outcome: { status: 'requiresAction' }, card };
    case 'voided':
      return { outcome: { status: 'voided' }, card };
    case 'token_rejected':
      return { outcome: { status: 'tokenRejected' }, card: null };
    case 'not_sent':
      return notStarted(brand !== null);
  }
}
