import { challengeEnd } from './charge-rules.ts';
import { randomBase62 } from '../secrets.ts';
import type { Ledger } from './ledger.ts';
import type { Charge } from './records.ts';

/**
 * Completes a charge after the customer's challenge. An authenticated one is captured, or declined if its
 * test card says so; a failed one is declined; any other charge stays as it is. A repeated call changes
 * nothing.
 */
export function confirmCharge(ledger: Ledger, charge: Charge): Charge {
  const { step } = charge;
  if (charge.status !== 'requires_action' || step?.kind !== 'threeDS' || step.state === 'open') return charge;
  const end =
    step.state === 'authenticated'
      ? challengeEnd(charge.behaviour)
      : ({ status: 'declined', failureCode: 'authentication_failed' } as const);
  return ledger.saveCharge(ledger.outcome(charge, end.status, end.failureCode));
}

/** Voids a charge that waits for its customer. An authenticated one, or one without a step, continues. */
export function voidCharge(ledger: Ledger, charge: Charge): Charge {
  const authenticated = charge.step?.kind === 'threeDS' && charge.step.state === 'authenticated';
  const unpaidPix = charge.status === 'pending' && charge.step?.kind === 'pix';
  if ((charge.status !== 'requires_action' && !unpaidPix) || authenticated) return charge;
  return ledger.saveCharge({ ...charge, status: 'voided', due: null });
}

/** Records that `key` must never be charged. */
export function voidUnknownKey(
  ledger: Ledger,
  key: string,
  of: Pick<Charge, 'paymentId' | 'attemptId' | 'amountCents'>,
  now: number,
): Charge {
  return ledger.saveCharge({
    chargeId: `ch_${randomBase62(24)}`,
    key,
    ...of,
    merchantId: '',
    environment: 'sandbox',
    currency: 'USD',
    method: 'card',
    status: 'voided',
    failureCode: null,
    card: null,
    behaviour: 'voided',
    step: null,
    due: null,
    disputeAt: null,
    doubleCallbacks: false,
    bodyHash: null,
    returnUrl: '',
    ancestorOrigins: [],
    checkoutExpiresAt: now,
    createdAt: now,
    capturedAt: null,
    creation: null,
    misreport: null,
  });
}

/** Records the customer's answer to the challenge; only the first one counts. */
export function answerChallenge(ledger: Ledger, charge: Charge, state: 'authenticated' | 'failed'): Charge {
  const { step } = charge;
  if (charge.status !== 'requires_action' || step?.kind !== 'threeDS' || step.state !== 'open') return charge;
  const answered = ledger.saveCharge({ ...charge, step: { ...step, state } });
  ledger.notifyCharge(answered);
  return answered;
}
