import type { CheckoutRecord } from '../../../src/db/payments/checkouts.ts';
import { type CheckoutStateDeps, readCheckout } from '../../../src/operations/payments/checkout-view.ts';
import { databaseOf, partial } from '../../support/partial.ts';

const deadline = Date.parse('2026-03-01T12:30:00.000Z');
const record = partial<CheckoutRecord>({
  id: '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90',
  checkoutStatus: 'open',
  terminalReason: null,
  attemptsLeft: 5,
  stateSeq: 1,
  expiresAt: new Date(deadline),
  finalizedAt: null,
  attempt: null,
});

const read = (nowMs: number, seq: number): ReturnType<typeof readCheckout> => {
  const snapshot = {
    status: 'failed_retryable',
    terminalReason: null,
    attemptsLeft: 4,
    expiresAtMs: deadline,
    captureEndsAtMs: deadline,
    seq,
    lastAttempt: { attemptNo: 1, method: 'card' },
  } as const;
  const workflows: CheckoutStateDeps['workflows'] = { snapshot: async () => snapshot };
  const rows = [{ ...record, hasPassed: nowMs >= deadline }];
  const database = databaseOf(async () => ({ rows }));
  return readCheckout({ database, workflows, statusSource: 'workflow', now: () => nowMs }, record);
};

describe('a checkout that is read from its workflow', () => {
  it('shows the newer of row and workflow', async () => {
    expect(await read(deadline - 1, 2)).toMatchObject({ status: 'failed_retryable', attemptsLeft: 4 });
    expect(await read(deadline - 1, 0)).toMatchObject({ status: 'open', attemptsLeft: 5 });
  });

  it('is expired from its deadline on, also while the workflow has not noticed it', async () => {
    for (const seq of [0, 2]) {
      expect(await read(deadline, seq)).toMatchObject({
        status: 'expired',
        terminalReason: 'checkout_expired',
      });
    }
  });
});
