import { type Reconciled, checkReconciliation, plantedDifferences } from './reconciliation-checks.ts';
import type { Violation } from './violation.ts';

const paid = '01a1fd82-7976-7357-bfd1-90bd28c66047';
const declined = '01a1fd82-8888-7357-bfd1-90bd28c66047';

const chargeOf = (paymentId: string, no: number, status: string) => ({
  chargeId: `ch_${no}`,
  attemptId: `${paymentId}:${no}`,
  amountCents: 2500,
  status,
  createdAt: new Date(100).toISOString(),
});

const attemptOf = (paymentId: string, attemptNo: number, status: string) => ({
  paymentId,
  attemptNo,
  status,
  startedAtMs: 100,
  claimedAtMs: 101,
  hasAction: false,
  answer: null,
  endedAtMs: 200,
});

const paymentOf = (id: string, status: string) => ({
  id,
  status,
  amountCents: 2500,
  refundedCents: 0,
  checkoutStatus: status === 'paid' ? 'paid' : 'expired',
  attemptsLeft: 3,
  isFinal: true,
  expiresAtMs: 10_000,
  captureExpiresAtMs: 8_000,
  confirmsSteps: false,
  finalAtMs: 400,
});

const difference = (paymentId: string, kind: string, action = 'needs_attention') => ({
  kind,
  paymentId,
  action,
});

/**
 * Two payments. The first was declined and then paid. The second was declined twice. The network captured the
 * declined charge of the first, and both of the second, after it had declined them.
 */
const wellObserved = () => ({
  payments: [paymentOf(paid, 'paid'), paymentOf(declined, 'failed')],
  attempts: [
    attemptOf(paid, 1, 'declined'),
    attemptOf(paid, 2, 'paid'),
    attemptOf(declined, 1, 'declined'),
    attemptOf(declined, 2, 'declined'),
  ],
  ledgers: new Map([
    [paid, [chargeOf(paid, 1, 'captured'), chargeOf(paid, 2, 'captured')]],
    [declined, [chargeOf(declined, 1, 'captured'), chargeOf(declined, 2, 'captured')]],
  ]),
  capturedLate: new Set([`${paid}:1`, `${declined}:1`, `${declined}:2`]),
});

const there = { charges: 4, refunds: 1, disputes: 1 };

/** A reconciliation that compared everything and found the three captures. */
const wellReconciled = () => ({
  complete: true,
  compared: { ...there },
  differences: [
    difference(declined, 'captured_twice'),
    difference(paid, 'captured_twice'),
    difference(declined, 'captured_but_not_paid'),
  ],
});

function violationsOf(observed: ReturnType<typeof wellObserved>, reconciled: Reconciled): Violation[] {
  const violations: Violation[] = [];
  checkReconciliation(observed, reconciled, there, (invariant, paymentId, detail) =>
    violations.push({ invariant, paymentId, detail }),
  );
  return violations;
}

it('accepts exactly the differences that were planted', () => {
  expect(violationsOf(wellObserved(), wellReconciled())).toEqual([]);
});

it('expects no difference when nothing was planted', () => {
  const observed = wellObserved();
  observed.capturedLate.clear();
  expect(plantedDifferences(observed)).toEqual([]);
});

it('expects no difference for a late capture that paid its attempt, or that took no money', () => {
  const observed = wellObserved();
  observed.ledgers.set(paid, [chargeOf(paid, 1, 'declined'), chargeOf(paid, 2, 'captured')]);
  observed.ledgers.set(declined, [chargeOf(declined, 1, 'captured'), chargeOf(declined, 2, 'declined')]);
  observed.attempts[2] = attemptOf(declined, 1, 'paid');
  expect(plantedDifferences(observed)).toEqual([]);
});

type Reconciliation = ReturnType<typeof wellReconciled>;

it.each<[string, string | null, string, (reconciled: Reconciliation) => unknown]>([
  [
    'a difference that was not planted',
    paid,
    'the reconciliation found refund_unknown_here (needs_attention): not planted',
    ({ differences }) => differences.push(difference(paid, 'refund_unknown_here')),
  ],
  [
    'a planted difference that was found twice',
    paid,
    'the reconciliation found captured_twice (needs_attention): not planted',
    ({ differences }) => differences.push(difference(paid, 'captured_twice')),
  ],
  [
    'a difference that was healed although the rows were final',
    paid,
    'the reconciliation found dispute_status_differs (healed): not planted',
    ({ differences }) => differences.push(difference(paid, 'dispute_status_differs', 'healed')),
  ],
  [
    'a planted difference that is missing',
    declined,
    'the reconciliation did not find captured_but_not_paid, which was planted',
    ({ differences }) => differences.pop(),
  ],
  [
    'an incomplete reconciliation',
    null,
    'the reconciliation is not complete: no_lists',
    (reconciled) => Object.assign(reconciled, { complete: false, problem: 'no_lists' }),
  ],
  ...(['charges', 'refunds', 'disputes'] as const).map(
    (kind): [string, null, string, (reconciled: Reconciliation) => unknown] => [
      `a number of ${kind} that is not the network's`,
      null,
      `the reconciliation compared 0 ${kind} of ${there[kind]}`,
      ({ compared }) => Object.assign(compared, { [kind]: 0 }),
    ],
  ),
])('I33: the checker sees %s', (_what, paymentId, detail, breakIt) => {
  const reconciled = wellReconciled();
  breakIt(reconciled);
  expect(violationsOf(wellObserved(), reconciled)).toEqual([{ invariant: 'I33', paymentId, detail }]);
});

it('I33: the checker sees a planted difference of another kind or payment, and misses the right one', () => {
  const reconciled = wellReconciled();
  reconciled.differences[1] = difference(paid, 'captured_but_not_paid');
  expect(violationsOf(wellObserved(), reconciled)).toHaveLength(2);
  reconciled.differences[1] = difference('another payment', 'captured_twice');
  expect(violationsOf(wellObserved(), reconciled)).toHaveLength(2);
});
