import type { Keyring } from '../crypto/keyring.ts';
import { actionToken, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import type { Database } from '../db/database.ts';
import { type AnswerDetails, type ProviderAnswer, loadAnswer, recordAnswer } from '../db/attempt-answers.ts';
import type { Outcome } from '../domain/checkout.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import type { Charge } from '../providers/ports.ts';

/** What an activity found out about an attempt. Nothing secret: it travels through workflow history. */
export interface AttemptReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
  /** The network's answer contradicts what was asked of it: an operator is told at once. */
  suspicious?: true;
}

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
): Promise<AttemptReport> {
  if (charge.amountCents !== record.amountCents || charge.currency !== 'USD') {
    return { ...unknown, suspicious: true };
  }
  const attempt = { paymentId: record.id, attemptNo };
  const said = (answer: ProviderAnswer, details: AnswerDetails = {}): Promise<void> =>
    recordAnswer(deps.database, attempt, answer, { card, ...details });
  switch (charge.status) {
    case 'captured':
      await said('captured');
      return { outcome: { status: 'paid' }, card: charge.card };
    case 'declined':
    case 'failed': {
      const failure = boundedFailure(charge.failureCode, charge.message);
      await said(charge.status, { failure });
      return { outcome: { status: charge.status, ...failure }, card: charge.card };
    }
    case 'voided':
      await said('voided');
      return { outcome: { status: 'voided' }, card: charge.card };
    case 'pending':
    case 'requires_action': {
      const { action } = charge;
      // A wallet or a pix is pending at the network while the customer has a step to take; without one it is
      // undecided.
      if (action === null) return unknown;
      const { keyring } = deps;
      await said('requires_action', {
        action: {
          kind: action.kind,
          sealed: keyring.seal(JSON.stringify(action), sealContext.action(record.id, attemptNo)),
          tokenHash: keyring.lookupHash(
            hashPurposes.actionToken,
            actionToken(keyring, record.id, attemptNo, null),
          ),
        },
      });
      return { outcome: { status: 'requiresAction' }, card: charge.card };
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
