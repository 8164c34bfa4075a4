import { mkdir, writeFile } from 'node:fs/promises';
import proto from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  type Bench,
  type Benches,
  declinedReport,
  minute,
  paidReport,
  refusalOf,
  report,
  startBenches,
  startTimeSkipping,
  until,
} from '../../support/payment-harness.ts';
import { proves } from '../../support/proves.ts';

let env: TestWorkflowEnvironment;
let benches: Benches;
beforeAll(async () => {
  env = await startTimeSkipping();
  benches = await startBenches(env);
});
afterAll(async () => {
  await benches.close();
  await env.teardown();
});

/** UPDATE_HISTORIES=1 keeps each scenario's history for the replay test. */
async function keepHistory(name: string, bench: Bench): Promise<void> {
  if (process.env['UPDATE_HISTORIES'] !== '1') return;
  const directory = new URL('../../histories/', import.meta.url);
  await mkdir(directory, { recursive: true });
  const history = proto.temporal.api.history.v1.History.toObject(
    proto.temporal.api.history.v1.History.fromObject(await bench.history()),
    { enums: String, longs: String, bytes: String },
  );
  await writeFile(new URL(`${name}.json`, directory), `${JSON.stringify(history)}\n`);
}

/** Plays a scenario on a payment of its own. */
const scenario = (name: string, play: (bench: Bench) => Promise<void>) => async (): Promise<void> => {
  const bench = await benches.open();
  await play(bench);
  await keepHistory(name, bench);
};

describe('the checkout deadline', () => {
  it(
    proves('open at 29:59, expired at 30:00 with nobody reading', 'CLOSE-02', 'CLOSE-08'),
    scenario('deadline', async (bench) => {
      await bench.sleepUntil(30 * minute - 1_000);
      expect(await bench.snapshot()).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect(bench.rows.transitions).toEqual([]);
      await bench.sleepUntil(30 * minute);
      await bench.handle.result();
      expect(bench.rows.transitions).toMatchObject([
        {
          checkoutStatus: 'expired',
          terminalReason: 'checkout_expired',
          paymentStatus: 'pending',
          // CLOSE-04: no webhook for expiry.
          announce: false,
          settled: true,
        },
      ]);
    }),
  );

  it(
    proves('a charge out at the deadline is still settled: expired at once, paid later', 'AMB-07'),
    scenario('deadline-late-success', async (bench) => {
      let answer: () => void = () => undefined;
      bench.provider.authorizeAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      await bench.sleepUntil(30 * minute - 2_000);
      const waiting = refusalOf(bench.pay());
      await until(() => bench.provider.calls.includes('authorize 1'));
      await bench.sleepUntil(30 * minute);
      await until(() => bench.rows.latest?.checkoutStatus === 'expired');
      expect(bench.rows.latest).toMatchObject({
        terminalReason: 'checkout_expired',
        paymentStatus: 'pending',
        settled: false,
      });
      expect(await refusalOf(bench.pay())).toBe('checkout_expired');
      answer();
      expect(await waiting).toBe('accepted');
      await bench.handle.result();
      expect(bench.rows.latest).toMatchObject({
        checkoutStatus: 'expired',
        paymentStatus: 'paid',
        announce: true,
        settled: true,
      });
    }),
  );

  it(
    proves('an action open at the deadline is voided and the payment rests at pending', 'AMB-08'),
    scenario('deadline-open-action', async (bench) => {
      bench.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      bench.provider.settleAnswer = async () => report({ status: 'voided' });
      expect(await bench.pay()).toMatchObject({ status: 'requiresAction' });
      expect(bench.rows.latest).toMatchObject({
        paymentStatus: 'requiresAction',
        checkoutStatus: 'requiresAction',
      });
      await bench.sleepUntil(30 * minute);
      await bench.handle.result();
      expect(bench.provider.calls).toContain('close');
      expect(bench.rows.latest).toMatchObject({
        paymentStatus: 'pending',
        checkoutStatus: 'expired',
        settled: true,
      });
    }),
  );

  it(
    'a pay at 30:00 is refused and charges nothing',
    scenario('pay-at-the-deadline', async (bench) => {
      await bench.sleepUntil(30 * minute);
      // The run has ended: the API answers from the row (checkout_expired).
      await expect(bench.pay()).rejects.toThrow(/not found|already completed|Update failed/);
      expect(bench.provider.calls).not.toContain('authorize 1');
    }),
  );
});

describe('the capture window', () => {
  it(
    proves('access at 9:59, none at 10:00 while the checkout stays open', 'CAPTURE-05', 'CAPTURE-09'),
    scenario('capture-window', async (bench) => {
      await bench.sleepUntil(10 * minute - 1_000);
      expect(await refusalOf(bench.update('prepareCapture'))).toBe('accepted');
      await bench.sleepUntil(10 * minute);
      expect(await refusalOf(bench.update('prepareCapture'))).toBe('checkout_expired');
      await until(() => bench.provider.calls.includes('endCapture'));
      expect(await bench.snapshot()).toMatchObject({ status: 'open' });
      // AMB-32: a token captured in time pays until the deadline.
      expect(await bench.pay()).toEqual({ status: 'paid' });
      await bench.handle.result();
    }),
  );

  it(
    proves('parallel prepares register one access at the vault', 'CAPTURE-07'),
    scenario('prepare-twice', async (bench) => {
      await Promise.all([bench.update('prepareCapture'), bench.update('prepareCapture')]);
      await bench.update('prepareCapture');
      expect(bench.provider.calls).toEqual(['registerCapture']);
      expect(await bench.pay()).toEqual({ status: 'paid' });
      await bench.handle.result();
    }),
  );
});

describe('attempts', () => {
  it(
    'a paid attempt settles the payment and ends the workflow',
    scenario('paid', async (bench) => {
      expect(await bench.pay()).toEqual({ status: 'paid' });
      expect(await bench.handle.result()).toEqual({ paymentStatus: 'paid', checkoutStatus: 'paid' });
      expect(bench.rows.latest).toMatchObject({
        paymentStatus: 'paid',
        settled: true,
        attempt: { card: { last4: '4242' } },
      });
    }),
  );

  it(
    proves('a second pay while one runs is refused and charges nothing', 'FENCE-05'),
    scenario('second-pay', async (bench) => {
      let answer: () => void = () => undefined;
      bench.provider.authorizeAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      const first = bench.pay();
      await until(() => bench.provider.calls.length === 1);
      const refused = await Promise.all(Array.from({ length: 5 }, () => refusalOf(bench.pay())));
      expect(new Set(refused)).toEqual(new Set(['payment_in_progress']));
      answer();
      expect(await first).toEqual({ status: 'paid' });
      expect(bench.provider.calls).toEqual(['authorize 1']);
      await bench.handle.result();
    }),
  );

  it(
    proves('the fifth decline exhausts the attempts', 'CLOSE-05'),
    scenario('exhausted', async (bench) => {
      bench.provider.authorizeAnswer = async () => declinedReport;
      for (const attemptsLeft of [4, 3, 2, 1, 0]) {
        expect(await bench.pay()).toMatchObject({ status: 'failed', attemptsLeft });
      }
      expect(bench.provider.calls).not.toContain('lookup');
      await bench.handle.result();
      expect(bench.rows.latest).toMatchObject({
        terminalReason: 'attempts_exhausted',
        paymentStatus: 'failed',
      });
    }),
  );

  it(
    proves('an unknown outcome fences everything until the network tells', 'FENCE-07'),
    scenario('unknown', async (bench) => {
      let known = false;
      bench.provider.authorizeAnswer = async () => report({ status: 'unknown' });
      bench.provider.settleAnswer = async () => {
        if (!known) throw new Error('not yet');
        return paidReport;
      };
      expect(await refusalOf(bench.pay())).toBe('service_unavailable');
      expect(await bench.snapshot()).toMatchObject({ status: 'processing' });
      expect(await refusalOf(bench.pay())).toBe('result_pending');
      expect(await refusalOf(bench.update('prepareCapture'))).toBe('result_pending');
      expect(await refusalOf(bench.update('confirm'))).toBe('result_pending');
      known = true;
      await env.sleep(minute);
      expect(await bench.handle.result()).toMatchObject({ paymentStatus: 'paid' });
      expect(bench.provider.calls.filter((call) => call.startsWith('authorize'))).toEqual(['authorize 1']);
    }),
  );

  it(
    proves(
      'an outcome unknown past the deadline stays pending, never failed, and needs attention',
      'HOOK-08',
    ),
    scenario('unknown-past-the-deadline', async (bench) => {
      let known = false;
      bench.provider.authorizeAnswer = async () => report({ status: 'unknown' });
      bench.provider.settleAnswer = async () => {
        if (!known) throw new Error('not yet');
        return declinedReport;
      };
      expect(await refusalOf(bench.pay())).toBe('service_unavailable');
      await env.sleep(60 * minute);
      expect(bench.rows.latest).toMatchObject({
        checkoutStatus: 'expired',
        paymentStatus: 'pending',
        settled: false,
      });
      const { typedSearchAttributes } = await bench.handle.describe();
      expect(JSON.stringify(typedSearchAttributes.getAll())).toContain('NeedsAttention');
      known = true;
      await bench.handle.signal('operatorReconcileNow');
      expect(await bench.handle.result()).toMatchObject({
        paymentStatus: 'pending',
        checkoutStatus: 'expired',
      });
    }),
  );

  it(
    proves('a rejected token uses no attempt and leaves capture access alive', 'PAY-12'),
    scenario('token-rejected', async (bench) => {
      bench.provider.authorizeAnswer = async () => report({ status: 'tokenRejected' });
      await bench.update('prepareCapture');
      expect(await refusalOf(bench.pay())).toBe('card_token_rejected');
      expect(await bench.snapshot()).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect(await refusalOf(bench.update('prepareCapture'))).toBe('accepted');
      expect(bench.rows.transitions).toEqual([]);
      bench.provider.authorizeAnswer = async () => paidReport;
      expect(await bench.pay()).toEqual({ status: 'paid' });
      await bench.handle.result();
    }),
  );
});

describe('the customer action', () => {
  it(
    'a challenge is confirmed once, however many ask',
    scenario('challenge', async (bench) => {
      bench.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      let answer: () => void = () => undefined;
      bench.provider.confirmAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      expect(await bench.pay()).toEqual({ status: 'requiresAction', attemptNo: 1 });
      expect(await refusalOf(bench.pay())).toBe('action_required');
      const first = bench.update('confirm');
      await until(() => bench.provider.calls.includes('confirmAttempt'));
      expect(await refusalOf(bench.update('confirm'))).toBe('confirmation_in_progress');
      await bench.handle.signal('providerEvent', { mayConfirm: true });
      answer();
      expect(await first).toEqual({ status: 'paid' });
      expect(bench.provider.calls.filter((call) => call === 'confirmAttempt')).toHaveLength(1);
      await bench.handle.result();
    }),
  );

  it(
    proves('confirming before the customer is done changes nothing', 'AMB-35'),
    scenario('challenge-not-done', async (bench) => {
      bench.provider.authorizeAnswer = async () => report({ status: 'requiresAction' });
      bench.provider.confirmAnswer = async () => report({ status: 'requiresAction' });
      await bench.pay();
      expect(await bench.update('confirm')).toEqual({ status: 'requiresAction', attemptNo: 1 });
      expect(await bench.snapshot()).toMatchObject({ status: 'requiresAction', attemptsLeft: 5 });
      bench.provider.confirmAnswer = async () => declinedReport;
      expect(await bench.update('confirm')).toMatchObject({ status: 'failed', attemptsLeft: 4 });
      expect(bench.rows.latest).toMatchObject({
        paymentStatus: 'pending',
        checkoutStatus: 'failed_retryable',
      });
      bench.provider.authorizeAnswer = async () => paidReport;
      expect(await bench.pay()).toEqual({ status: 'paid' });
      await bench.handle.result();
    }),
  );
});

describe('operators', () => {
  it(
    'operatorCloseCheckout closes as the deadline would',
    scenario('operator-close', async (bench) => {
      expect(await bench.update('operatorCloseCheckout')).toMatchObject({ status: 'expired' });
      expect(await bench.handle.result()).toMatchObject({ paymentStatus: 'pending' });
    }),
  );

  it(
    'Cancel in the Temporal UI closes the checkout but never abandons a charge',
    scenario('cancel', async (bench) => {
      let answer: () => void = () => undefined;
      bench.provider.authorizeAnswer = () => new Promise((resolve) => (answer = () => resolve(paidReport)));
      void bench.pay().catch(() => undefined);
      await until(() => bench.provider.calls.length === 1);
      await bench.handle.cancel();
      await until(() => bench.rows.latest?.checkoutStatus === 'expired');
      answer();
      expect(await bench.handle.result()).toMatchObject({ paymentStatus: 'paid', checkoutStatus: 'expired' });
    }),
  );

  it(
    'the sandbox clock moves both deadlines of one payment',
    scenario('sandbox-clock', async (bench) => {
      await bench.update('advanceClock', { bySeconds: 10 * 60 });
      expect(await refusalOf(bench.update('prepareCapture'))).toBe('checkout_expired');
      expect(await bench.snapshot()).toMatchObject({ status: 'open' });
      await bench.update('advanceClock', { bySeconds: 20 * 60 });
      expect(await bench.handle.result()).toMatchObject({ checkoutStatus: 'expired' });
    }),
  );
});
