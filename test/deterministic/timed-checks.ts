import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../chaos/checker.ts';
import { timedInvariants } from '../chaos/money-checks.ts';
import type { Observations } from '../chaos/observations.ts';
import type { Violation } from '../chaos/violation.ts';
import { Random } from '../support/harness/random.ts';
import { frozenRunLost, themeOf } from './themes.ts';

/** The usual deadline of a checkout in s, and one after which recovery cannot simply wait for it. */
const usualSeconds = 15;
const longSeconds = 240;
/** The share of seeds with the long one. */
const longShare = 0.12;

/**
 * How long after the last fault recovery may take, in ms: the first check of a customer's step follows a
 * minute after its attempt began.
 */
const inTimeMs = 75_000;

/**
 * Returns the deadline of a seed's checkouts. It is long where runs are lost whose workers are frozen, so
 * that another run owns the payment before its deadline.
 */
export const drawDeadlineSeconds = (seed: number): number =>
  themeOf(seed).includes(frozenRunLost) ||
  new Random(Math.imul(seed, 0xc2b2ae35) ^ 0x165667b1).chance(longShare)
    ? longSeconds
    : usualSeconds;

/**
 * Returns whether a violation is only that a shop stopped waiting for the outcome before a long deadline.
 */
export const isOfPatience = (seed: number, { invariant, detail }: Violation): boolean =>
  drawDeadlineSeconds(seed) === longSeconds && invariant === 'I28' && detail.includes('never returned');

/**
 * Checks the invariants that hold soon after the last fault, without waiting for a deadline. `leftMs`: until
 * the first deadline, which would end every payment anyway; when it is near, nothing is checked.
 */
export async function checkInTime(
  leftMs: number,
  observe: () => Promise<Observations>,
): Promise<Violation[]> {
  if (leftMs < inTimeMs + 30_000) return [];
  await sleep(inTimeMs);
  const seen = await observe();
  // Nothing has to happen to a payment at rest before its deadline, so its run may be missing.
  const atRest = new Set(
    seen.payments
      .filter(({ checkoutStatus }) => checkoutStatus === 'open' || checkoutStatus === 'failed_retryable')
      .map(({ id }) => id),
  );
  return check(seen).filter(
    ({ invariant, paymentId, detail }) =>
      timedInvariants.includes(invariant) &&
      !(invariant === 'I27' && detail.startsWith('not final') && atRest.has(paymentId ?? '')),
  );
}
