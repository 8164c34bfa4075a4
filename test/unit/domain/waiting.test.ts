import { checkoutStatuses } from '../../../src/domain/statuses.ts';
import { type WaitingFacts, awaitedParties, waitingFor } from '../../../src/domain/waiting.ts';

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
  claimedAt: at(51),
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

/** The role that the payment waits for, since and until, in seconds; null when it waits for none. */
const cases: [string, WaitingFacts, number, [string, number, number | null] | null][] = [
  ['a new payment', open, 10, ['customer', 0, 1_800]],
  ['a payment after its capture window', open, 600, ['deadline', 600, 1_800]],
  ['a hosted payment after that window', { ...open, checkoutMode: 'hosted' }, 700, ['customer', 0, 1_800]],
  [
    'a payment with an accepted card after that window',
    { ...open, cardAccepted: true },
    700,
    ['customer', 0, 1_800],
  ],
  [
    'a declined payment',
    { ...open, checkoutStatus: 'failed_retryable', attemptsLeft: 4, cardAccepted: true, changedAt: at(55) },
    700,
    ['customer', 55, 1_800],
  ],
  ['a payment of a disabled merchant', { ...open, merchantActive: false }, 10, ['deadline', 0, 1_800]],
  ['a payment just past its deadline', open, 1_800, ['deadline', 1_800, null]],
  [
    'an unclaimed attempt',
    { ...paying, attempt: { ...attempt, claimedAt: null } },
    52,
    ['network', 50, null],
  ],
  ['an attempt that was sent', paying, 55, ['network', 51, null]],
  [
    'a card the vault has not returned',
    { ...paying, attempt: { ...attempt, cardKnown: false } },
    53,
    ['vault', 51, null],
  ],
  [
    'a sandbox simulation, which has no card',
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
    'an unknown outcome, also past the deadline',
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
    'a step being canceled at the network',
    { ...stepping, checkoutStatus: 'expired', changedAt: at(1_801) },
    1_805,
    ['network', 1_801, null],
  ],
  ['an expired payment with an attempt in flight', { ...expired, attempt }, 1_805, ['network', 1_800, null]],
  ['an expired payment that is not finalized', expired, 1_801, ['deadline', 1_800, null]],
  ['an expired, finalized payment', { ...expired, finalizedAt: at(1_801) }, 1_805, null],
  ['a paid payment', paid, 100, null],
  ['a refund that may be canceled', { ...paid, refund }, 85, ['deadline', 80, 90]],
  ['a submitted refund', { ...paid, refund: { ...refund, submittedAt: at(91) } }, 95, ['network', 91, null]],
  ['an open dispute', { ...paid, dispute }, 100, ['deadline', 80, 9_000]],
  ['a dispute past its deadline', { ...paid, dispute }, 9_000, ['network', 80, null]],
  [
    'a dispute under review',
    { ...paid, dispute: { ...dispute, status: 'underReview', submittedAt: at(99) } },
    100,
    ['network', 99, null],
  ],
  ['a payment that the sweeps cannot check', { ...paying, alertSince: at(99) }, 100, ['operator', 99, null]],
  ['a finalized payment that the sweeps could not check', { ...paid, alertSince: at(99) }, 100, null],
];

const secondsOf = (instant: string): number => (Date.parse(instant) - at(0).getTime()) / 1_000;
const summary = (waiting: ReturnType<typeof waitingFor>) =>
  waiting && [
    waiting.who,
    secondsOf(waiting.since),
    waiting.until === null ? null : secondsOf(waiting.until),
  ];

it.each(cases)('%s: one party, with since, until and a sentence', (_name, facts, now, expected) => {
  const waiting = waitingFor(facts, at(now));
  expect(summary(waiting)).toEqual(expected);
  expect(waiting?.next ?? 'Nothing.').toMatch(/^[A-Z].+\.$/);
});

it('a payment that is not final waits for exactly one party, and never for a past instant', () => {
  for (const checkoutStatus of checkoutStatuses) {
    for (const one of [null, attempt, stepping.attempt]) {
      for (const now of [1, 60, 700, 1_800, 5_000]) {
        const facts = { ...open, checkoutStatus, attempt: one };
        const waiting = waitingFor(facts, at(now));
        expect([null, ...awaitedParties]).toContain(waiting?.who ?? null);
        expect(waiting === null).toBe(checkoutStatus === 'paid' && one === null);
        expect(secondsOf(waiting?.until ?? at(9_000).toISOString())).toBeGreaterThan(now);
        expect(waitingFor({ ...facts, attempt: null, finalizedAt: at(1) }, at(now))).toBeNull();
      }
    }
  }
});
