import { PaymentRun } from '../../../src/workflows/payment/run.ts';

const start = {
  paymentId: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11',
  merchantId: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a12',
  environment: 'sandbox',
  mode: 'custom',
  amountCents: 2_500,
  expiresAtMs: Date.now() + 1_800_000,
  captureEndsAtMs: Date.now() + 600_000,
} as const;

/** Returns a run that has just taken an attempt. */
function taken(): PaymentRun {
  const run = new PaymentRun(start, null);
  run.take({ type: 'pay', method: 'card', attemptNo: 1 });
  return run;
}

describe('the commit of the next transition is delegated', () => {
  it('with the state and its fence, under the next number; the loop waits', () => {
    const run = taken();
    expect(run.delegateCommit()).toEqual({
      expectedState: { state: run.state, seq: 1, calledAtMs: expect.any(Number) },
    });
    expect(run.state.flight).toMatchObject({ attemptNo: 1, certainty: 'running' });
    expect(run.commitDelegated).toBe(true);
  });

  it.each<[string, (run: PaymentRun) => void]>([
    ['another message waits, which may come first', (run) => run.post({ type: 'reachDeadline' })],
    ['the loop works on a message', (run) => (run.busy = true)],
    ['another transition is being written', (run) => (run.seq += 1)],
  ])('not while %s', (_when, happen) => {
    const run = taken();
    happen(run);
    expect(run.delegateCommit()).toEqual({});
    expect(run.commitDelegated).toBe(false);
  });
});
