import { type CheckoutCommand, decide, evolve } from '../../../src/domain/checkout.ts';
import {
  type CheckoutState,
  attemptsPerCheckout,
  checkoutStatus,
  openCheckout,
  resumeCheckout,
} from '../../../src/domain/checkout-state.ts';
import { proves } from '../../support/proves.ts';

const expiresAtMs = 1_800_000;
const captureEndsAtMs = 600_000;
const soon = 1_000;

const open = openCheckout({ mode: 'custom', expiresAtMs, captureEndsAtMs });
const apply = (state: CheckoutState, command: CheckoutCommand, now = soon): CheckoutState => {
  const decision = decide(state, command, now);
  if (!decision.ok) throw new Error(`refused: ${decision.code}`);
  return decision.events.reduce(evolve, state);
};
const pay: CheckoutCommand = { type: 'pay', method: 'card' };
const resolve = (
  attemptNo: number,
  outcome: Extract<CheckoutCommand, { type: 'resolve' }>['outcome'],
): CheckoutCommand => ({ type: 'resolve', attemptNo, outcome });
const declined = { status: 'declined', failureCode: 'card_declined', message: 'no' } as const;
const failed = { status: 'failed', failureCode: 'lost_card', message: 'no' } as const;

const processing = apply(open, pay);
const unknown = apply(processing, resolve(1, { status: 'unknown' }));
const retryable = apply(processing, resolve(1, declined));
const action = apply(processing, resolve(1, { status: 'requiresAction' }));
const confirming = apply(action, { type: 'confirm' });
const paid = apply(processing, resolve(1, { status: 'paid' }));
const providerFailed = apply(processing, resolve(1, failed));
const expired = apply(open, { type: 'reachDeadline' }, expiresAtMs);
const unresolvedExpired = apply(processing, { type: 'reachDeadline' }, expiresAtMs);
const exhausted = [1, 2, 3, 4, 5].reduce(
  (state, no) => apply(apply(state, pay), resolve(no, declined)),
  open,
);

/** The answers of prepare, pay and confirm in each condition, cell by cell; `ok` means accepted. */
const fences: [string, CheckoutState, number, string, string, string][] = [
  ['open, capture access alive', open, soon, 'ok', 'ok', 'confirmation_not_required'],
  ['open, capture access over', open, captureEndsAtMs, 'checkout_expired', 'ok', 'confirmation_not_required'],
  [
    'attempt processing',
    processing,
    soon,
    'payment_in_progress',
    'payment_in_progress',
    'confirmation_not_required',
  ],
  [
    'confirmation processing',
    confirming,
    soon,
    'payment_in_progress',
    'payment_in_progress',
    'confirmation_in_progress',
  ],
  ['result unknown', unknown, soon, 'result_pending', 'result_pending', 'result_pending'],
  ['requiresAction', action, soon, 'action_required', 'action_required', 'ok'],
  ['failed_retryable', retryable, soon, 'checkout_expired', 'ok', 'confirmation_not_required'],
  ['paid', paid, soon, 'checkout_expired', 'checkout_expired', 'confirmation_not_required'],
  [
    'paid, after the deadline',
    paid,
    expiresAtMs,
    'checkout_expired',
    'checkout_expired',
    'confirmation_not_required',
  ],
  [
    'expired by the deadline',
    expired,
    expiresAtMs,
    'checkout_expired',
    'checkout_expired',
    'checkout_expired',
  ],
  ['attempts exhausted', exhausted, soon, 'attempts_exhausted', 'attempts_exhausted', 'attempts_exhausted'],
  ['provider failed', providerFailed, soon, 'checkout_expired', 'checkout_expired', 'checkout_expired'],
  [
    'expired with an unresolved attempt',
    unresolvedExpired,
    expiresAtMs,
    'checkout_expired',
    'checkout_expired',
    'checkout_expired',
  ],
  [
    'deadline passed, timer not fired yet',
    open,
    expiresAtMs,
    'checkout_expired',
    'checkout_expired',
    'checkout_expired',
  ],
  [
    'requiresAction, deadline passed',
    action,
    expiresAtMs,
    'checkout_expired',
    'checkout_expired',
    'checkout_expired',
  ],
];

const answerOf = (state: CheckoutState, command: CheckoutCommand, now: number): string => {
  const decision = decide(state, command, now);
  return decision.ok ? 'ok' : decision.code;
};

describe('each call in each condition', () => {
  it.each(fences)('%s', (_name, state, now, ...answers) => {
    const [prepare, payAnswer, confirm] = answers;
    expect(answerOf(state, { type: 'prepareCapture' }, now)).toBe(prepare);
    expect(answerOf(state, pay, now)).toBe(payAnswer);
    expect(answerOf(state, { type: 'confirm' }, now)).toBe(confirm);
  });
});

describe('how an attempt ends', () => {
  it(
    proves(
      'one attempt is used by a decline, none by a token rejection or a failure before sending',
      'AMB-04',
    ),
    () => {
      expect(retryable.attemptsLeft).toBe(attemptsPerCheckout - 1);
      const rejected = apply(processing, resolve(1, { status: 'tokenRejected' }));
      expect([rejected.attemptsLeft, checkoutStatus(rejected), rejected.captureRevoked]).toEqual([
        5,
        'open',
        false,
      ]);
      const unsent = apply(processing, resolve(1, { status: 'notStarted', recorded: true }));
      expect([unsent.attemptsLeft, checkoutStatus(unsent), unsent.captureRevoked]).toEqual([5, 'open', true]);
    },
  );

  it(
    proves('the fifth decline closes the checkout and fails the payment with its code', 'CLOSE-05', 'AMB-05'),
    () => {
      expect(exhausted).toMatchObject({
        resting: 'expired',
        terminalReason: 'attempts_exhausted',
        attemptsLeft: 0,
        paymentStatus: 'failed',
        failure: { code: 'card_declined' },
      });
    },
  );

  it(
    proves('a final failure closes the checkout at once, also on the last attempt', 'CLOSE-06', 'AMB-06'),
    () => {
      expect(providerFailed).toMatchObject({
        terminalReason: 'provider_failed',
        attemptsLeft: 4,
        paymentStatus: 'failed',
      });
      const four = [1, 2, 3, 4].reduce((state, no) => apply(apply(state, pay), resolve(no, declined)), open);
      expect(apply(apply(four, pay), resolve(5, failed))).toMatchObject({
        terminalReason: 'provider_failed',
      });
    },
  );

  it('a late answer about an earlier attempt changes nothing', () => {
    const second = apply(retryable, pay);
    expect(apply(second, resolve(1, { status: 'paid' }))).toEqual(second);
    expect(apply(paid, resolve(1, declined))).toEqual(paid);
  });

  it(proves('a declined challenge returns the payment to pending', 'AMB-08'), () => {
    const after = apply(confirming, resolve(1, declined));
    expect([after.paymentStatus, checkoutStatus(after)]).toEqual(['pending', 'failed_retryable']);
  });
});

describe('the deadline', () => {
  it(proves('never fails a payment, from any state', 'CLOSE-03'), () => {
    for (const state of [open, processing, unknown, retryable, action, confirming]) {
      const after = apply(state, { type: 'reachDeadline' }, expiresAtMs);
      expect(after).toMatchObject({
        resting: 'expired',
        terminalReason: 'checkout_expired',
        paymentStatus: 'pending',
      });
    }
  });

  it(proves('closes at the instant itself, not before', 'AMB-50'), () => {
    expect(apply(open, { type: 'reachDeadline' }, expiresAtMs - 1)).toEqual(open);
    expect(checkoutStatus(apply(open, { type: 'reachDeadline' }, expiresAtMs))).toBe('expired');
  });

  it(proves('an attempt in flight is still resolved: paid late, checkout stays expired', 'AMB-07'), () => {
    const after = apply(unresolvedExpired, resolve(1, { status: 'paid' }));
    expect(after).toMatchObject({
      resting: 'expired',
      terminalReason: 'checkout_expired',
      paymentStatus: 'paid',
    });
  });

  it(
    proves('an action open at the deadline is closed at the network before the payment rests', 'AMB-08'),
    () => {
      const closing = apply(action, { type: 'reachDeadline' }, expiresAtMs);
      expect(closing.flight).toMatchObject({ kind: 'closing', attemptNo: 1 });
      expect(apply(closing, resolve(1, { status: 'voided' }))).toMatchObject({
        flight: null,
        paymentStatus: 'pending',
      });
      expect(apply(closing, resolve(1, { status: 'paid' }))).toMatchObject({
        paymentStatus: 'paid',
        resting: 'expired',
      });
    },
  );

  it('a challenge that arrives after the deadline is closed at the network, not shown', () => {
    const after = apply(unresolvedExpired, resolve(1, { status: 'requiresAction' }));
    expect(after.flight).toMatchObject({ kind: 'closing' });
    expect(after.paymentStatus).toBe('pending');
  });
});

describe('a checkout rebuilt from its rows', () => {
  const stored = {
    mode: 'custom',
    expiresAtMs,
    captureEndsAtMs,
    checkoutStatus: 'processing',
    terminalReason: null,
    paymentStatus: 'pending',
    attemptsLeft: 5,
    attemptsStarted: 1,
    method: 'card',
    captureRevoked: true,
    openAttempt: { attemptNo: 1, waitsForCustomer: false, confirming: false, certainty: 'unknown' },
  } as const;

  it('treats a running attempt as unknown, so that nothing can be charged beside it', () => {
    expect(answerOf(resumeCheckout(stored), pay, soon)).toBe('result_pending');
  });

  it('still waits for a customer whose action was open', () => {
    const resumed = resumeCheckout({
      ...stored,
      checkoutStatus: 'requiresAction',
      paymentStatus: 'requiresAction',
      openAttempt: { attemptNo: 1, waitsForCustomer: true, confirming: false, certainty: 'unknown' },
    });
    expect(answerOf(resumed, { type: 'confirm' }, soon)).toBe('ok');
  });
});
