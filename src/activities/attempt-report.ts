import type { Keyring } from '../crypto/keyring.ts';
import { actionToken, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import { recordAction } from '../db/attempts.ts';
import type { Database } from '../db/database.ts';
import type { Outcome } from '../domain/checkout.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import type { Charge } from '../providers/ports.ts';

/** What an activity found out about an attempt. Nothing secret: it travels through workflow history. */
export interface AttemptReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
}

/** Only asking the network resolves it. */
export const unknown: AttemptReport = { outcome: { status: 'unknown' }, card: null };

/**
 * Returns what the network's answer says of an attempt. An action's secrets are kept sealed in the rows, out
 * of the report. An answer about another amount proves nothing.
 */
export async function reportCharge(
  { database, keyring }: { database: Database; keyring: Keyring },
  charge: Charge,
  record: PaymentRecord,
  attemptNo: number,
): Promise<AttemptReport> {
  const { card } = charge;
  if (charge.amountCents !== record.amountCents) return unknown;
  switch (charge.status) {
    case 'captured':
      return { outcome: { status: 'paid' }, card };
    case 'declined':
    case 'failed':
      return {
        outcome: { status: charge.status, ...boundedFailure(charge.failureCode, charge.message) },
        card,
      };
    case 'voided':
      return { outcome: { status: 'voided' }, card };
    case 'pending':
      if (charge.action === null) return unknown;
      break;
    case 'requires_action':
      break;
  }
  if (!charge.action) return unknown;
  await recordAction(database, {
    paymentId: record.id,
    attemptNo,
    method: record.method ?? 'card',
    kind: charge.action.kind,
    actionSealed: keyring.seal(JSON.stringify(charge.action), sealContext.action(record.id, attemptNo)),
    tokenHash: keyring.lookupHash(hashPurposes.actionToken, actionToken(keyring, record.id, attemptNo)),
  });
  return { outcome: { status: 'requiresAction' }, card };
}
