import type { Keyring } from '../crypto/keyring.ts';
import { actionToken, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import type { Database } from '../db/server/database.ts';
import {
  type AnswerDetails,
  type ProviderAnswer,
  loadAnswer,
  recordAnswer,
} from '../db/payments/attempt-answers.ts';
import type { Outcome } from '../domain/checkout.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import type { Charge } from '../providers/ports.ts';
import type { Committed } from './transitions.ts';

/** What an activity found out about an attempt. Nothing secret: it travels through workflow history. */
export interface AttemptReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
  /** The network's answer contradicts what was asked of it: an operator is told at once. */
  suspicious?: true;
  /** The transition that follows was written with the answer, under this number. */
  committed?: Committed & { seq: number };
}

/** What was heard of an attempt: what is told of it, and what is written down. */
export interface Heard {
  report: AttemptReport;
  answer: ProviderAnswer;
  details: AnswerDetails;
}

/** Writes down what was heard, and returns what is told of it. */
export type WriteDown = (
  attempt: { paymentId: string; attemptNo: number },
  heard: Heard,
) => Promise<AttemptReport>;

/** Only asking the network resolves it. */
export const unknown: AttemptReport = { outcome: { status: 'unknown' }, card: null };

/** Nothing was sent; `recorded`: the vault accepted the card before that. */
export const notStarted = (recorded: boolean): AttemptReport => ({
  outcome: { status: 'notStarted', recorded },
  card: null,
});

export interface ReportDeps {
  database: Database;
  keyring: Keyring;
}

/** Returns what writes an answer down, and nothing else. */
const writeAlone =
  ({ database }: ReportDeps): WriteDown =>
  async (attempt, { report, answer, details }) => {
    await recordAnswer(database, attempt, answer, details);
    return report;
  };

/**
 * Returns what the network's answer says of an attempt, after writing the answer down: a transition must
 * agree with it. An action's secrets are kept sealed in the rows, out of the report. An answer about another
 * amount or currency proves nothing.
 */
export async function reportCharge(
  deps: ReportDeps,
  charge: Charge,
  record: Pick<PaymentRecord, 'id' | 'amountCents'>,
  attemptNo: number,
  card: AnswerDetails['card'] = null,
  write: WriteDown = writeAlone(deps),
): Promise<AttemptReport> {
  if (charge.amountCents !== record.amountCents || charge.currency !== 'USD') {
    return { ...unknown, suspicious: true };
  }
  const attempt = { paymentId: record.id, attemptNo };
  const said = (answer: ProviderAnswer, outcome: Outcome, details: AnswerDetails = {}) =>
    write(attempt, { report: { outcome, card: charge.card }, answer, details: { card, ...details } });
  switch (charge.status) {
    case 'captured':
      return said('captured', { status: 'paid' });
    case 'declined':
    case 'failed': {
      const failure = boundedFailure(charge.failureCode, charge.message);
      return said(charge.status, { status: charge.status, ...failure }, { failure });
    }
    case 'voided':
      return said('voided', { status: 'voided' });
    case 'pending':
    case 'requires_action': {
      const { action } = charge;
      // A wallet or a pix is pending at the network while the customer has a step to take; without one it is
      // undecided.
      if (action === null) return unknown;
      const { keyring } = deps;
      const sealed = keyring.seal(JSON.stringify(action), sealContext.action(record.id, attemptNo));
      const token = actionToken(keyring, record.id, attemptNo, null);
      const tokenHash = keyring.lookupHash(hashPurposes.actionToken, token);
      return said(
        'requires_action',
        { status: 'requiresAction' },
        { action: { kind: action.kind, sealed, tokenHash } },
      );
    }
  }
}

/**
 * Returns what was heard of an attempt, where no other answer can follow; null otherwise. Ask before the
 * network: it never hears of an attempt that was not sent.
 */
export async function finalReport(
  deps: Pick<ReportDeps, 'database'>,
  attempt: { paymentId: string; attemptNo: number },
): Promise<AttemptReport | null> {
  const heard = await recordedReport(deps, attempt);
  return heard.outcome.status === 'unknown' || heard.outcome.status === 'requiresAction' ? null : heard;
}

/**
 * Returns what was heard of an attempt whose claim was taken before: a workflow task that was lost is done
 * again, also in another process. Unknown while nothing definite was heard.
 */
export async function recordedReport(
  { database }: Pick<ReportDeps, 'database'>,
  attempt: { paymentId: string; attemptNo: number },
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
