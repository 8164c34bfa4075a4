import { checkoutStatuses } from '../../../src/domain/statuses.ts';
import { type WaitingFacts, waiters, waitingFor } from '../../../src/domain/waiting.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1_000);

const open: WaitingFacts = {
  checkoutMode: 'custom',
  checkoutStatus: 'open',
  createdAt: at(0),
  changedAt: null,
  expiresAt: at(1_800),
  captureExpiresAt: at(600),
  finalizedAt: null,
  attemptsLeft: 5,
  cardAccepted: false,
  merchantActive: true,
  attempt: null,
  refund: null,
  dispute: null,
  alertSince: null,
};
const attempt: NonNullable<WaitingFacts['attempt']> = {
  attemptNo: 1,
  status: 'processing',
  method: 'card',
  startedAt: at(50),
  sentAt: at(51),
  unknownSince: null,
  cardKnown: true,
  simulated: false,
};
const paying: WaitingFacts = { ...open, checkoutStatus: 'processing', changedAt: at(50), attempt };
const stepping: WaitingFacts = {
  ...paying,
  checkoutStatus: 'requiresAction',
  changedAt: at(60),
  attempt: { ...attempt, status: 'requiresAction' },
};
const paid: WaitingFacts = { ...open, checkoutStatus: 'paid', finalizedAt: at(70), changedAt: at(70) };
const expired: WaitingFacts = { ...open, checkoutStatus: 'expired', changedAt: at(1_800) };
const refund = { createdAt: at(80), submitAfter: at(90), submittedAt: null };
const dispute = { status: 'needsResponse', createdAt: at(80), submittedAt: null, evidenceDueAt: at(9_000) };

/** Who, since and until, in seconds; null for nobody. */
const cases: [string, WaitingFacts, number, [string, number, number | null] | null][] = [
  ['a new payment', open, 10, ['customer', 0, 1_800]],
  ['one whose card can be captured no more', open, 600, ['deadline', 600, 1_800]],
  ['a hosted one then', { ...open, checkoutMode: 'hosted' }, 700, ['customer', 0, 1_800]],
  ['one with an accepted card then', { ...open, cardAccepted: true }, 700, ['customer', 0, 1_800]],
  [
    'one that was declined',
    { ...open, checkoutStatus: 'failed_retryable', attemptsLeft: 4, cardAccepted: true, changedAt: at(55) },
    700,
    ['customer', 55, 1_800],
  ],
  ['one of a disabled merchant', { ...open, merchantActive: false }, 10, ['deadline', 0, 1_800]],
  ['one just past its deadline', open, 1_800, ['deadline', 1_800, null]],
  [
    'an attempt nobody took up',
    { ...paying, attempt: { ...attempt, sentAt: null } },
    52,
    ['network', 50, null],
  ],
  ['an attempt that was sent', paying, 55, ['network', 51, null]],
  [
    'a card the vault does not tell',
    { ...paying, attempt: { ...attempt, cardKnown: false } },
    53,
    ['vault', 51, null],
  ],
  [
    'a sandbox order, which has no card',
    { ...paying, attempt: { ...attempt, cardKnown: false, simulated: true } },
    53,
    ['network', 51, null],
  ],
  [
    'a wallet, which has no card',
    { ...paying, attempt: { ...attempt, cardKnown: false, method: 'wallet' } },
    53,
    ['network', 51, null],
  ],
  [
    'an unknown outcome, deadline or not',
    { ...paying, attempt: { ...attempt, unknownSince: at(56) } },
    2_000,
    ['network', 56, null],
  ],
  ['an attempt that runs past the deadline', paying, 1_900, ['network', 51, null]],
  ['an open step', stepping, 65, ['customer', 60, 1_800]],
  ['an open step just past the deadline', stepping, 1_800, ['deadline', 1_800, null]],
  [
    'a step being confirmed',
    { ...stepping, checkoutStatus: 'processing', changedAt: at(66) },
    67,
    ['network', 66, null],
  ],
  [
    'a step being closed at the network',
    { ...stepping, checkoutStatus: 'expired', changedAt: at(1_801) },
    1_805,
    ['network', 1_801, null],
  ],
  ['an expired one whose attempt is out', { ...expired, attempt }, 1_805, ['network', 1_800, null]],
  ['an expired one that is not final yet', expired, 1_801, ['deadline', 1_800, null]],
  ['an expired one', { ...expired, finalizedAt: at(1_801) }, 1_805, null],
  ['a paid one', paid, 100, null],
  ['a refund that may be canceled', { ...paid, refund }, 85, ['deadline', 80, 90]],
  ['a refund on its way', { ...paid, refund: { ...refund, submittedAt: at(91) } }, 95, ['network', 91, null]],
  ['an open dispute', { ...paid, dispute }, 100, ['deadline', 80, 9_000]],
  ['one past its date', { ...paid, dispute }, 9_000, ['network', 80, null]],
  [
    'one under review',
    { ...paid, dispute: { ...dispute, status: 'underReview', submittedAt: at(99) } },
    100,
    ['network', 99, null],
  ],
  ['one the sweeps cannot look at', { ...paying, alertSince: at(99) }, 100, ['operator', 99, null]],
  ['a final one they could not look at', { ...paid, alertSince: at(99) }, 100, null],
];

const secondsOf = (instant: string): number => (Date.parse(instant) - at(0).getTime()) / 1_000;
const told = (waiting: ReturnType<typeof waitingFor>) =>
  waiting && [
    waiting.who,
    secondsOf(waiting.since),
    waiting.until === null ? null : secondsOf(waiting.until),
  ];

it.each(cases)('%s waits for one, and says since and until when', (_name, facts, now, expected) => {
  const waiting = waitingFor(facts, at(now));
  expect(told(waiting)).toEqual(expected);
  expect(waiting?.next ?? 'Nothing.').toMatch(/^[A-Z].+\.$/);
});

it('whatever the rows say, a payment that is not final waits for exactly one, and never for the past', () => {
  for (const checkoutStatus of checkoutStatuses) {
    for (const one of [null, attempt, stepping.attempt]) {
      for (const now of [1, 60, 700, 1_800, 5_000]) {
        const facts = { ...open, checkoutStatus, attempt: one };
        const waiting = waitingFor(facts, at(now));
        expect([null, ...waiters]).toContain(waiting?.who ?? null);
        expect(waiting === null).toBe(checkoutStatus === 'paid' && one === null);
        expect(secondsOf(waiting?.until ?? at(9_000).toISOString())).toBeGreaterThan(now);
        expect(waitingFor({ ...facts, attempt: null, finalizedAt: at(1) }, at(now))).toBeNull();
      }
    }
  }
});
