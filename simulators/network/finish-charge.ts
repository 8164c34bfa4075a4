import { randomBase62 } from '../secrets.ts';
import type { Book } from './ledger.ts';
import type { Charge } from './records.ts';

/**
 * Completes a charge after the customer's challenge: authenticated is captured (or declined, where the test card says so), a failed
 * challenge is declined, and anything else stays as it is. Twice is once.
 */
export function confirmCharge(book: Book, charge: Charge): Charge {
  const { step } = charge;
  if (charge.status !== 'requires_action' || step?.kind !== 'threeDS' || step.state === 'open') return charge;
  const passes = step.state === 'authenticated' && charge.behaviour !== 'challengeThenDeclined';
  const outcome = passes
    ? book.outcome(charge, 'captured', null)
    : book.outcome(charge, 'declined', 'authentication_failed');
  return book.saveCharge(outcome);
}

/** Ends a charge that waits for its customer. One that was authenticated, or needs no customer, goes on. */
export function voidCharge(book: Book, charge: Charge): Charge {
  const authenticated = charge.step?.kind === 'threeDS' && charge.step.state === 'authenticated';
  const unpaidPix = charge.status === 'pending' && charge.step?.kind === 'pix';
  if ((charge.status !== 'requires_action' && !unpaidPix) || authenticated) return charge;
  return book.saveCharge({ ...charge, status: 'voided', due: null });
}

/** Records that `key` must never be charged. */
export function voidUnknownKey(
  book: Book,
  key: string,
  of: Pick<Charge, 'paymentId' | 'attemptId' | 'amountCents'>,
  now: number,
): Charge {
  return book.saveCharge({
    chargeId: `ch_${randomBase62(24)}`,
    key,
    ...of,
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
  });
}

/** Records what the customer did in the challenge; only the first word counts. */
export function answerChallenge(book: Book, charge: Charge, state: 'authenticated' | 'failed'): Charge {
  const { step } = charge;
  if (charge.status !== 'requires_action' || step?.kind !== 'threeDS' || step.state !== 'open') return charge;
  const answered = book.saveCharge({ ...charge, step: { ...step, state } });
  book.tellCharge(answered);
  return answered;
}
