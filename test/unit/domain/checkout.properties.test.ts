import fc from 'fast-check';
import { type CheckoutCommand, type Outcome, decide, evolve } from '../../../src/domain/checkout.ts';
import {
  type CheckoutState,
  checkoutStatus,
  isClosed,
  openCheckout,
} from '../../../src/domain/checkout-state.ts';
import { isAllowedStatusChange } from '../../../src/domain/statuses.ts';

const expiresAtMs = 100;
const start = openCheckout({ mode: 'custom', expiresAtMs, captureEndsAtMs: 40 });

const outcome: fc.Arbitrary<Outcome> = fc.constantFrom<Outcome>(
  { status: 'paid' },
  { status: 'declined', failureCode: 'card_declined', message: 'no' },
  { status: 'failed', failureCode: 'lost_card', message: 'no' },
  { status: 'requiresAction' },
  { status: 'voided' },
  { status: 'tokenRejected' },
  { status: 'notStarted', recorded: true },
  { status: 'notStarted', recorded: false },
  { status: 'unknown' },
);

const command: fc.Arbitrary<CheckoutCommand> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<CheckoutCommand>({ type: 'pay', method: 'card' }) },
  { weight: 2, arbitrary: fc.constant<CheckoutCommand>({ type: 'confirm' }) },
  { weight: 1, arbitrary: fc.constant<CheckoutCommand>({ type: 'prepareCapture' }) },
  { weight: 1, arbitrary: fc.constant<CheckoutCommand>({ type: 'abandonAction' }) },
  { weight: 1, arbitrary: fc.constant<CheckoutCommand>({ type: 'reachDeadline' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('resolve' as const),
      attemptNo: fc.integer({ min: 1, max: 9 }),
      outcome,
    }),
  },
);

/** Commands, each with its time; time never goes back. */
const history = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), command), { maxLength: 60 });

/** Plays a history. Returns every step, with the commands that were accepted. */
function play(
  commands: [number, CheckoutCommand][],
  see: (before: CheckoutState, after: CheckoutState, command: CheckoutCommand, now: number) => void,
): CheckoutState {
  let now = 0;
  let state = start;
  for (const [pause, next] of commands) {
    now += pause;
    const decision = decide(state, next, now);
    if (!decision.ok) continue;
    const after = decision.events.reduce(evolve, state);
    see(state, after, next, now);
    state = after;
  }
  return state;
}

const runs = { numRuns: 2_000 };

describe('any sequence of commands', () => {
  it('at most one attempt of a payment ever ends paid', () => {
    fc.assert(
      fc.property(history, (commands) => {
        let paid = 0;
        play(commands, (before, after) => {
          if (before.paymentStatus !== 'paid' && after.paymentStatus === 'paid') paid += 1;
          expect(before.paymentStatus === 'paid' && after.paymentStatus !== 'paid').toBe(false);
        });
        expect(paid).toBeLessThanOrEqual(1);
      }),
      runs,
    );
  });

  it('attemptsLeft stays within 0 to 5, never rises, and falls by one at a time', () => {
    fc.assert(
      fc.property(history, (commands) => {
        play(commands, (before, after) => {
          expect([before.attemptsLeft, before.attemptsLeft - 1]).toContain(after.attemptsLeft);
          expect(after.attemptsLeft).toBeGreaterThanOrEqual(0);
          expect(after.attemptsLeft > 0 || after.resting === 'expired').toBe(true);
        });
      }),
      runs,
    );
  });

  it('a closed checkout stays closed for its first reason, and starts nothing', () => {
    fc.assert(
      fc.property(history, (commands) => {
        play(commands, (before, after, next) => {
          if (!isClosed(before)) return;
          expect(isClosed(after)).toBe(true);
          expect(after.terminalReason).toBe(before.terminalReason);
          expect(next.type).not.toBe('pay');
        });
      }),
      runs,
    );
  });

  it('no attempt starts while another is in flight or at its deadline, and no number is used twice', () => {
    fc.assert(
      fc.property(history, (commands) => {
        const numbers = new Set<number>();
        play(commands, (before, after, next, now) => {
          if (next.type !== 'pay') return;
          expect(before.flight).toBeNull();
          expect(now).toBeLessThan(expiresAtMs);
          expect(numbers.has(after.attemptsStarted)).toBe(false);
          numbers.add(after.attemptsStarted);
        });
      }),
      runs,
    );
  });

  it('payment statuses follow the allowed edges, and `failed` always has its code', () => {
    fc.assert(
      fc.property(history, (commands) => {
        const end = play(commands, (before, after) => {
          expect(isAllowedStatusChange(before.paymentStatus, after.paymentStatus)).toBe(true);
        });
        expect(end.paymentStatus === 'failed').toBe(end.failure !== null);
        expect(checkoutStatus(end) === 'expired').toBe(end.terminalReason !== null);
      }),
      runs,
    );
  });
});
