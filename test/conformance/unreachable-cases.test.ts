import { decide, evolve } from '../../src/domain/checkout.ts';
import { openCheckout } from '../../src/domain/checkout-state.ts';
import { isAllowedStatusChange, paymentStatuses } from '../../src/domain/statuses.ts';
import { boundedFailure } from '../../src/providers/failure-text.ts';
import { proves } from '../support/proves.ts';

describe('a state that no caller can cause', () => {
  it(
    proves(
      'does not change by a success that the network reports after a final failure',
      'AMB-63',
      'PSTATE-05',
    ),
    () => {
      const opened = openCheckout({ mode: 'custom', expiresAtMs: 1_800_000, captureEndsAtMs: 600_000 });
      const started = evolve(opened, { type: 'AttemptStarted', attemptNo: 1, method: 'card' });
      const failed = evolve(started, {
        type: 'AttemptFailed',
        attemptNo: 1,
        failureCode: 'lost_card',
        message: 'm',
      });
      expect(failed.paymentStatus).toBe('failed');
      expect(decide(failed, { type: 'resolve', attemptNo: 1, outcome: { status: 'paid' } }, 1_000)).toEqual({
        ok: true,
        events: [],
      });
      for (const status of paymentStatuses.filter((each) => each !== 'failed')) {
        expect(isAllowedStatusChange('failed', status)).toBe(false);
      }
    },
  );

  it.each<[string, string | null, string | null]>([
    ['nothing at all', null, null],
    ['empty texts', '', ''],
    ['texts without end', 'x'.repeat(5_000), 'é'.repeat(5_000)],
    ['astral characters at the bound', 'unknown_code', '😀'.repeat(600)],
    ['a known code', 'card_declined', 'whatever the provider says'],
  ])(
    proves(
      '%s becomes a code of 1 to 128 and a message of 1 to 500 characters',
      'ATTEMPT-04',
      'LIMIT-19',
      'LIMIT-20',
      'PMT-23',
    ),
    (_what, code, message) => {
      const bounded = boundedFailure(code, message);
      expect(Array.from(bounded.failureCode).length).toBeGreaterThanOrEqual(1);
      expect(Array.from(bounded.failureCode).length).toBeLessThanOrEqual(128);
      expect(Array.from(bounded.message).length).toBeGreaterThanOrEqual(1);
      expect(Array.from(bounded.message).length).toBeLessThanOrEqual(500);
    },
  );
});
