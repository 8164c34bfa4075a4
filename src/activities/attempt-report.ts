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
import { type ChargeProblem, alertUnreadable } from '../db/payments/charge-alerts.ts';
import type { Committed } from './transitions.ts';

/** What an activity learned about an attempt. Holds no secret: it is stored in the workflow's history. */
export interface AttemptReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
  /** The network's answer contradicts the request: an operator is alerted at once. */
  suspicious?: true;
  /** The transition that follows is already committed with the answer, under this number. */
  committedTransition?: Committed & { seq: number };
}

/** A provider's answer: what the workflow learns of it, and what is stored; null: it decides nothing. */
export interface ProviderAnswer {
  report: AttemptReport;
  record: { answer: RecordableAnswer; details: AnswerDetails } | null;
  /** The network's answer contradicts the request, or is not understood: a code, which the alert names. */
  problem?: ChargeProblem;
}

/** Only a query to the network resolves it. */
export const unknown: AttemptReport = { outcome: { status: 'unknown' }, card: null };

/** Nothing was sent; `recorded`: the vault accepted the card before that. */
export const notStarted = (recorded: boolean): AttemptReport => ({
  outcome: { status: 'notStarted', recorded },
  card: null,
});

export interface Attempt {
  paymentId: string;
  attemptNo: number;
}

export interface ReportDeps {
  database: Database;
  keyring: Keyring;
}

/** An answer that proves nothing. */
const undecided: ProviderAnswer = { report: unknown, record: null };

/** Returns why nothing of a charge may be acted on; null where it is what was requested. */
export function problemOf(charge: Charge, amountCents: number): ChargeProblem | null {
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
  const problem = problemOf(charge, amountCents);
  if (problem !== null) return { report: { ...unknown, suspicious: true }, record: null, problem };
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
      // A wallet or a pix is pending at the network while the customer has a step to take; without one it is
      // undecided.
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
 * Returns the network's charge once nothing can follow it: where the holder of its secret could still charge
 * a declined object, the object is canceled before the decline counts. Throws when that is not certain.
 */
export async function finalCharge(
  network: PaymentNetwork,
  charge: Charge,
  reference: AttemptReference,
): Promise<Charge> {
  if (!isDecline(charge) || !network.declinesStayOpen) return charge;
  const now = await network.cancel(reference);
  // The decline as it was answered, unless the object turns out to have been charged after it.
  return now.status === 'voided' || isDecline(now) ? charge : now;
}

const isDecline = ({ status }: Charge): boolean => status === 'declined' || status === 'failed';

/**
 * Stores an answer without a transition, which the workflow decides; alerts an operator to one that is not
 * understood. Returns the report.
 */
export async function recordAlone(
  { database }: Pick<ReportDeps, 'database'>,
  attempt: Attempt,
  { report, record, problem }: ProviderAnswer,
): Promise<AttemptReport> {
  if (record) await recordAnswer(database, attempt, record.answer, record.details);
  if (problem) await alertUnreadable(database, attempt.paymentId, problem);
  return report;
}

/**
 * Returns the stored answer of an attempt where no other answer can follow; null otherwise. Read it before a
 * query to the network, which does not know an attempt that was not sent.
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
 * Returns the stored answer of an attempt that was claimed before: a lost workflow task is repeated, also in
 * another process. Unknown while no definite answer is stored.
 */
export async function recordedReport(
  { database }: Pick<ReportDeps, 'database'>,
  attempt: Attempt,
): Promise<AttemptReport> {
  const recorded = await loadAnswer(database, attempt);
  if (!recorded) return unknown;
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
