import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Transition } from '../../../src/domain/transition.ts';
import { ProviderUnavailable } from '../../../src/providers/ports.ts';
import { needsAttentionKey } from '../../../src/temporal/contract/search-attribute-keys.ts';
import { keepHistory } from '../../support/keep-history.ts';
import {
  type PaymentHarness,
  type PaymentHarnesses,
  declinedReport,
  minute,
  paidReport,
  refusalOf,
  report,
  startPaymentHarnesses,
  startTimeSkipping,
  until,
} from '../../support/payment-harness.ts';
import { proves } from '../../support/proves.ts';

let env: TestWorkflowEnvironment;
let harnesses: PaymentHarnesses;
beforeAll(async () => {
  env = await startTimeSkipping();
  harnesses = await startPaymentHarnesses(env);
});
afterAll(async () => {
  await harnesses.close();
  await env.teardown();
});

const deadlinesOf = (transition: Transition | undefined) =>
  transition?.deadlines ?? { expiresAtMs: 0, captureEndsAtMs: 0 };

/** Plays a scenario on its own payment. */
const scenario =
  (name: string, play: (harness: PaymentHarness) => Promise<void>) => async (): Promise<void> => {
    const harness = await harnesses.open();
    await play(harness);
    await keepHistory(name, { fetchHistory: () => harness.history() });
  };

describe('a transition that was committed with the answer', () => {
  it(
    'is applied and not written again',
    scenario('paid-with-the-answer', async (harness) => {
      const expectedStates: unknown[] = [];
      harness.provider.authorizeAnswer = async (_no, expectedState) => {
        expectedStates.push(expectedState);
        return { ...paidReport, committedTransition: { seq: 1, revokeCapture: true } };
      };
      expect(await harness.pay()).toEqual({ status: 'paid' });
      await harness.handle.result();
      expect(expectedStates).toMatchObject([
        { seq: 1, state: { resting: 'open', flight: { attemptNo: 1 } } },
      ]);
      expect(harness.rows.transitions).toEqual([]);
      expect(harness.provider.calls).toEqual(['authorize 1', 'revokeCapture']);
      expect(await harness.snapshot()).toMatchObject({ status: 'paid', seq: 1 });
    }),
  );

  it(
    'is followed by a transition with the next number',
    scenario('declined-with-the-answer', async (harness) => {
      const numbers: unknown[] = [];
      harness.provider.authorizeAnswer = async (_no, expectedState) => {
        numbers.push(expectedState?.seq);
        return {
          ...declinedReport,
          committedTransition: { seq: expectedState?.seq ?? 0, revokeCapture: false },
        };
      };
      expect(await harness.pay()).toMatchObject({ status: 'failed', attemptsLeft: 4 });
      expect(await harness.pay()).toMatchObject({ status: 'failed', attemptsLeft: 3 });
      harness.provider.authorizeAnswer = async () => paidReport;
      expect(await harness.pay()).toEqual({ status: 'paid' });
      await harness.handle.result();
      expect(numbers).toEqual([1, 2]);
      expect(harness.rows.transitions).toMatchObject([{ seq: 3, paymentStatus: 'paid', attemptsLeft: 3 }]);
    }),
  );
});

describe('a transition that was committed under another number', () => {
  it(
    'is not applied, but written again under its own number',
    scenario('paid-under-another-number', async (harness) => {
      harness.provider.authorizeAnswer = async () => ({
        ...paidReport,
        committedTransition: { seq: 7, revokeCapture: false },
      });
      expect(await harness.pay()).toEqual({ status: 'paid' });
      await harness.handle.result();
      expect(harness.rows.transitions).toMatchObject([{ seq: 1, paymentStatus: 'paid' }]);
    }),
  );
});

describe('a confirmation whose answer was committed with its transition', () => {
  it(
    'has the next number, and is not written again',
    scenario('confirmed-with-the-answer', async (harness) => {
      harness.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      expect(await harness.pay()).toMatchObject({ status: 'requiresAction' });
      const numbers: unknown[] = [];
      harness.provider.confirmAnswer = async (expectedState) => {
        numbers.push(expectedState?.seq, expectedState?.state.flight);
        return { ...paidReport, committedTransition: { seq: 3, revokeCapture: false } };
      };
      expect(await harness.update('confirm')).toEqual({ status: 'paid' });
      await harness.handle.result();
      expect(numbers).toEqual([3, { kind: 'confirmation', attemptNo: 1, certainty: 'running' }]);
      expect(harness.rows.transitions.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(await harness.snapshot()).toMatchObject({ status: 'paid', seq: 3 });
    }),
  );
});

describe('the checkout deadline', () => {
  it(
    proves(
      'leaves the checkout open at 29:59 and expires it at 30:00 without a reader',
      'CLOSE-02',
      'CLOSE-08',
    ),
    scenario('deadline', async (harness) => {
      await harness.sleepUntil(30 * minute - 1_000);
      expect(await harness.snapshot()).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect(harness.rows.transitions).toEqual([]);
      await harness.sleepUntil(30 * minute);
      await harness.handle.result();
      expect(harness.rows.transitions).toMatchObject([
        {
          checkoutStatus: 'expired',
          terminalReason: 'checkout_expired',
          paymentStatus: 'pending',
          // CLOSE-04: expiry sends no webhook.
          emitEvent: false,
          final: true,
        },
      ]);
    }),
  );

  it(
    proves(
      'expires the checkout at once while a charge is in transit, which is still resolved and paid later',
      'AMB-07',
    ),
    scenario('deadline-late-success', async (harness) => {
      let answer: () => void = () => undefined;
      harness.provider.authorizeAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      await harness.sleepUntil(30 * minute - 2_000);
      const waiting = refusalOf(harness.pay());
      await until(() => harness.provider.calls.includes('authorize 1'));
      await harness.sleepUntil(30 * minute);
      await until(() => harness.rows.latest?.checkoutStatus === 'expired');
      expect(harness.rows.latest).toMatchObject({
        terminalReason: 'checkout_expired',
        paymentStatus: 'pending',
        final: false,
      });
      expect(await refusalOf(harness.pay())).toBe('checkout_expired');
      answer();
      expect(await waiting).toBe('accepted');
      await harness.handle.result();
      expect(harness.rows.latest).toMatchObject({
        checkoutStatus: 'expired',
        paymentStatus: 'paid',
        emitEvent: true,
        final: true,
      });
    }),
  );

  it(
    proves('voids an open action and leaves the payment pending', 'AMB-08'),
    scenario('deadline-open-action', async (harness) => {
      harness.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      harness.provider.resolveAnswer = async () => report({ status: 'voided' });
      expect(await harness.pay()).toMatchObject({ status: 'requiresAction' });
      expect(harness.rows.latest).toMatchObject({
        paymentStatus: 'requiresAction',
        checkoutStatus: 'requiresAction',
      });
      await harness.sleepUntil(30 * minute);
      await harness.handle.result();
      expect(harness.provider.calls).toContain('close');
      expect(harness.rows.latest).toMatchObject({
        paymentStatus: 'pending',
        checkoutStatus: 'expired',
        final: true,
      });
    }),
  );

  it(
    'passes for a checkout that was closed, and is open in the rows from which its run resumes',
    scenario('deadline-superseded', async (harness) => {
      const { rows, provider } = harness;
      provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      await harness.pay();
      // A worker committed the decline as transition 3 in time, and died before its run received the result.
      const commit = rows.commitTransition;
      rows.commitTransition = async (transition) =>
        transition.seq === 3 ? { revokeCapture: false, superseded: true } : commit(transition);
      rows.resumePayment = async () => ({
        seq: 3,
        final: false,
        checkout: {
          mode: 'custom',
          ...deadlinesOf(rows.latest),
          checkoutStatus: 'failed_retryable',
          terminalReason: null,
          paymentStatus: 'pending',
          attemptsLeft: 4,
          attemptsStarted: 1,
          method: 'card',
          captureRevoked: true,
          openAttempt: null,
        },
      });
      provider.resolveAnswer = async () => declinedReport;
      await harness.sleepUntil(30 * minute);
      expect(await harness.handle.result()).toEqual({ paymentStatus: 'pending', checkoutStatus: 'expired' });
      expect(rows.latest).toMatchObject({ seq: 4, checkoutStatus: 'expired', attemptsLeft: 4, final: true });
    }),
  );

  it(
    'refuses a pay at 30:00 and charges nothing',
    scenario('pay-at-the-deadline', async (harness) => {
      await harness.sleepUntil(30 * minute);
      // The run has ended, so the API answers from the row (checkout_expired).
      await expect(harness.pay()).rejects.toThrow(/not found|already completed|Update failed/);
      expect(harness.provider.calls).not.toContain('authorize 1');
    }),
  );
});

describe('the capture window', () => {
  it(
    proves('ends access at 10:00, at the vault too, while the checkout stays open', 'CAPTURE-09', 'AMB-32'),
    scenario('capture-window', async (harness) => {
      await harness.sleepUntil(10 * minute - 1_000);
      expect(harness.provider.calls).toEqual([]);
      await harness.sleepUntil(10 * minute);
      await until(() => harness.provider.calls.includes('revokeCapture'));
      expect(await harness.snapshot()).toMatchObject({ status: 'open' });
      // A token that was captured in time can pay until the deadline.
      expect(await harness.pay()).toEqual({ status: 'paid' });
      await harness.handle.result();
    }),
  );

  it(
    'a payment without calls runs no workflow task before its first deadline',
    scenario('idle', async (harness) => {
      await harness.sleepUntil(9 * minute);
      expect((await harness.history()).events).toHaveLength(1);
      await harness.sleepUntil(30 * minute);
      await harness.handle.result();
    }),
  );
});

describe('attempts', () => {
  it(
    'a paid attempt finalizes the payment and ends the workflow',
    scenario('paid', async (harness) => {
      expect(await harness.pay()).toEqual({ status: 'paid' });
      expect(await harness.handle.result()).toEqual({ paymentStatus: 'paid', checkoutStatus: 'paid' });
      expect(harness.rows.latest).toMatchObject({
        paymentStatus: 'paid',
        final: true,
        attempt: { card: { last4: '4242' } },
      });
    }),
  );

  it(
    proves('a second pay while one runs is refused and charges nothing', 'FENCE-05'),
    scenario('second-pay', async (harness) => {
      let answer: () => void = () => undefined;
      harness.provider.authorizeAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      const first = harness.pay();
      await until(() => harness.provider.calls.length === 1);
      const refused = await Promise.all(Array.from({ length: 5 }, () => refusalOf(harness.pay())));
      expect(new Set(refused)).toEqual(new Set(['payment_in_progress']));
      answer();
      expect(await first).toEqual({ status: 'paid' });
      expect(harness.provider.calls.filter((call) => call.startsWith('authorize'))).toEqual(['authorize 1']);
      await harness.handle.result();
    }),
  );

  it(
    proves('the fifth decline exhausts the attempts', 'CLOSE-05'),
    scenario('exhausted', async (harness) => {
      harness.provider.authorizeAnswer = async () => declinedReport;
      for (const attemptsLeft of [4, 3, 2, 1, 0]) {
        expect(await harness.pay()).toMatchObject({ status: 'failed', attemptsLeft });
      }
      expect(harness.provider.calls).not.toContain('lookup');
      await harness.handle.result();
      expect(harness.rows.latest).toMatchObject({
        terminalReason: 'attempts_exhausted',
        paymentStatus: 'failed',
      });
    }),
  );

  it(
    proves('an unknown outcome fences every call until the network returns one', 'FENCE-07'),
    scenario('unknown', async (harness) => {
      let known = false;
      harness.provider.authorizeAnswer = async () => report({ status: 'unknown' });
      harness.provider.resolveAnswer = async () => {
        if (!known) throw new Error('not yet');
        return paidReport;
      };
      expect(await refusalOf(harness.pay())).toBe('service_unavailable');
      expect(await harness.snapshot()).toMatchObject({ status: 'processing' });
      expect(await refusalOf(harness.pay())).toBe('result_pending');
      expect(await refusalOf(harness.update('confirm'))).toBe('result_pending');
      expect(harness.rows.unknownAttempts).toEqual([1]);
      known = true;
      await env.sleep(minute);
      expect(await harness.handle.result()).toMatchObject({ paymentStatus: 'paid' });
      expect(harness.provider.calls.filter((call) => call.startsWith('authorize'))).toEqual(['authorize 1']);
    }),
  );

  it(
    proves(
      'an outcome unknown past the deadline stays pending, never failed, and needs attention',
      'HOOK-08',
    ),
    scenario('unknown-past-the-deadline', async (harness) => {
      let known = false;
      harness.provider.authorizeAnswer = async () => report({ status: 'unknown' });
      harness.provider.resolveAnswer = async () => {
        if (!known) throw new Error('not yet');
        return declinedReport;
      };
      expect(await refusalOf(harness.pay())).toBe('service_unavailable');
      await env.sleep(60 * minute);
      expect(harness.rows.latest).toMatchObject({
        checkoutStatus: 'expired',
        paymentStatus: 'pending',
        final: false,
      });
      const { typedSearchAttributes } = await harness.handle.describe();
      expect(JSON.stringify(typedSearchAttributes.getAll())).toContain('NeedsAttention');
      known = true;
      await harness.handle.signal('operatorReconcileNow');
      expect(await harness.handle.result()).toMatchObject({
        paymentStatus: 'pending',
        checkoutStatus: 'expired',
      });
    }),
  );

  it('a network that answers 5xx for an hour is queried until it answers, and charges once', async () => {
    const harness = await harnesses.open();
    let known = false;
    let asked = 0;
    harness.provider.authorizeAnswer = async () => report({ status: 'unknown' });
    harness.provider.resolveAnswer = async () => {
      asked += 1;
      if (!known) throw new ProviderUnavailable('network', true, 'status 503');
      return paidReport;
    };
    expect(await refusalOf(harness.pay())).toBe('service_unavailable');
    await env.sleep(60 * minute);
    expect(harness.rows.latest).toMatchObject({ paymentStatus: 'pending', final: false });
    const before = asked;
    // It is repeated, but not endlessly.
    expect(before).toBeGreaterThan(5);
    expect(before).toBeLessThan(200);
    known = true;
    expect(await harness.handle.result()).toMatchObject({ paymentStatus: 'paid' });
    expect(harness.provider.calls.filter((call) => call.startsWith('authorize'))).toEqual(['authorize 1']);
  });

  it(
    'a charge of another amount is queried until an answer decides, with a mark that goes then',
    scenario('contradicted', async (harness) => {
      let known = false;
      const contradiction = { ...report({ status: 'unknown' }), suspicious: true } as const;
      harness.provider.authorizeAnswer = async () => contradiction;
      harness.provider.resolveAnswer = async (_close, alerted) => {
        if (known) return paidReport;
        if (alerted) throw new Error('not yet');
        return contradiction;
      };
      const isMarked = async (): Promise<boolean> => {
        const { typedSearchAttributes } = await harness.handle.describe();
        return typedSearchAttributes.get(needsAttentionKey) === true;
      };
      expect(await refusalOf(harness.pay())).toBe('service_unavailable');
      await env.sleep(5 * minute);
      expect(harness.provider.calls.filter((call) => call === 'lookup').length).toBeGreaterThan(2);
      expect(await isMarked()).toBe(true);
      known = true;
      await env.sleep(5 * minute);
      expect(await harness.handle.result()).toMatchObject({ paymentStatus: 'paid' });
      expect(await isMarked()).toBe(false);
    }),
  );

  it(
    proves('a rejected token uses no attempt and leaves capture access as it is', 'PAY-12'),
    scenario('token-rejected', async (harness) => {
      harness.provider.authorizeAnswer = async () => report({ status: 'tokenRejected' });
      expect(await refusalOf(harness.pay())).toBe('card_token_rejected');
      expect(await harness.snapshot()).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect(harness.rows.transitions).toMatchObject([
        { capture: 'keep', checkoutStatus: 'open', attempt: { status: 'released', cardAccepted: false } },
      ]);
      harness.provider.authorizeAnswer = async () => paidReport;
      expect(await harness.pay()).toEqual({ status: 'paid' });
      await harness.handle.result();
    }),
  );
});

describe('the customer action', () => {
  it(
    'a challenge is confirmed once by any number of calls',
    scenario('challenge', async (harness) => {
      harness.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      let answer: () => void = () => undefined;
      harness.provider.confirmAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      expect(await harness.pay()).toEqual({ status: 'requiresAction', attemptNo: 1 });
      expect(await refusalOf(harness.pay())).toBe('action_required');
      const first = harness.update('confirm');
      await until(() => harness.provider.calls.includes('confirmAttempt'));
      expect(await refusalOf(harness.update('confirm'))).toBe('confirmation_in_progress');
      await harness.handle.signal('providerEvent', { mayConfirm: true });
      answer();
      expect(await first).toEqual({ status: 'paid' });
      expect(harness.provider.calls.filter((call) => call === 'confirmAttempt')).toHaveLength(1);
      await harness.handle.result();
    }),
  );

  it(
    proves('confirming before the customer is done changes nothing', 'AMB-35'),
    scenario('challenge-not-done', async (harness) => {
      harness.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      harness.provider.confirmAnswer = async () => report({ status: 'requiresAction' });
      await harness.pay();
      expect(await harness.update('confirm')).toEqual({ status: 'requiresAction', attemptNo: 1 });
      expect(await harness.snapshot()).toMatchObject({ status: 'requiresAction', attemptsLeft: 5 });
      harness.provider.confirmAnswer = async () => declinedReport;
      expect(await harness.update('confirm')).toMatchObject({ status: 'failed', attemptsLeft: 4 });
      expect(harness.rows.latest).toMatchObject({
        paymentStatus: 'pending',
        checkoutStatus: 'failed_retryable',
      });
      harness.provider.authorizeAnswer = async () => paidReport;
      expect(await harness.pay()).toEqual({ status: 'paid' });
      await harness.handle.result();
    }),
  );
});

describe('operators', () => {
  it(
    'operatorCloseCheckout closes the checkout as its deadline would',
    scenario('operator-close', async (harness) => {
      expect(await harness.update('operatorCloseCheckout')).toMatchObject({ status: 'expired' });
      expect(await harness.handle.result()).toMatchObject({ paymentStatus: 'pending' });
    }),
  );

  it(
    'Cancel in the Temporal UI closes the checkout but never abandons a charge',
    scenario('cancel', async (harness) => {
      let answer: () => void = () => undefined;
      harness.provider.authorizeAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      void harness.pay().catch(() => undefined);
      await until(() => harness.provider.calls.length === 1);
      await harness.handle.cancel();
      await until(() => harness.rows.latest?.checkoutStatus === 'expired');
      answer();
      expect(await harness.handle.result()).toMatchObject({
        paymentStatus: 'paid',
        checkoutStatus: 'expired',
      });
    }),
  );

  it(
    'the sandbox clock moves both deadlines of one payment',
    scenario('sandbox-clock', async (harness) => {
      await harness.update('advanceClock', { bySeconds: 10 * 60 });
      await until(() => harness.provider.calls.includes('revokeCapture'));
      expect(await harness.snapshot()).toMatchObject({ status: 'open' });
      await harness.update('advanceClock', { bySeconds: 20 * 60 });
      expect(await harness.handle.result()).toMatchObject({ checkoutStatus: 'expired' });
    }),
  );
});
