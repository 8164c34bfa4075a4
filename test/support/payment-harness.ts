import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { temporal } from '@temporalio/proto';
import { type StartablePayment, paymentWorkflowStart } from '../../src/temporal/contract/start-payment.ts';
import type { AttemptReport } from '../../src/activities/attempt-report.ts';
import type { AttemptActivities } from '../../src/activities/attempts.ts';
import type { CaptureActivities } from '../../src/activities/capture.ts';
import type { ExpectedState } from '../../src/activities/commit-with-answer.ts';
import { InFlightCalls } from '../../src/activities/in-flight-calls.ts';
import type { Committed, TransitionActivities } from '../../src/activities/transitions.ts';
import type { ResumedPayment } from '../../src/db/payments/payment-ownership.ts';
import type { Transition } from '../../src/domain/transition.ts';
import { failureConverter } from '../../src/temporal/failure-converter.ts';
import { searchAttributes } from '../../src/temporal/contract/search-attributes.ts';
import type { CheckoutSnapshot } from '../../src/temporal/contract/payment.ts';
import type { paymentWorkflow } from '../../src/workflows/payment/payment.ts';

export const minute = 60_000;
export const paidReport: AttemptReport = {
  outcome: { status: 'paid' },
  card: { brand: 'visa', last4: '4242' },
};
export const report = (outcome: AttemptReport['outcome']): AttemptReport => ({ outcome, card: null });
export const declinedReport = report({
  status: 'declined',
  failureCode: 'card_declined',
  message: 'declined',
});

/** How long to wait for a fake call before it is `running`, in ms. */
const patienceMs = 100;

type PaymentActivities = AttemptActivities & CaptureActivities;

/** Fake activities of one payment: the recorded calls, and their answers. */
export class FakeProvider implements AttemptActivities, CaptureActivities {
  calls: string[] = [];
  authorizeAnswer: (attemptNo: number, expectedState: ExpectedState | null) => Promise<AttemptReport> =
    async () => paidReport;
  confirmAnswer: (expectedState: ExpectedState | null) => Promise<AttemptReport> = async () => paidReport;
  resolveAnswer: (close: boolean, alerted: boolean) => Promise<AttemptReport> = async () => paidReport;
  readonly #running = new InFlightCalls<AttemptReport>();

  endCapture = async (): Promise<{ revoke: boolean }> => {
    this.calls.push('endCapture');
    return { revoke: true };
  };
  revokeCapture = async (): Promise<void> => void this.calls.push('revokeCapture');
  authorize = async ({
    attemptNo,
    expectedState = null,
  }: {
    attemptNo: number;
    expectedState?: ExpectedState | null;
  }): Promise<AttemptReport | 'running'> => {
    this.calls.push(`authorize ${attemptNo}`);
    return this.#running.begin('call', patienceMs, () => this.authorizeAnswer(attemptNo, expectedState));
  };
  confirmAttempt = async ({
    expectedState = null,
  }: {
    expectedState?: ExpectedState | null;
  }): Promise<AttemptReport | 'running'> => {
    this.calls.push('confirmAttempt');
    return this.#running.begin('call', patienceMs, () => this.confirmAnswer(expectedState));
  };
  awaitAttempt = async (): Promise<AttemptReport> => {
    this.calls.push('awaitAttempt');
    return this.#running.find('call') ?? Promise.reject(new Error('nothing runs'));
  };
  resolveAttempt = async ({
    close,
    alerted,
  }: {
    close: boolean;
    alerted: boolean;
  }): Promise<AttemptReport> => {
    this.calls.push(close ? 'close' : 'lookup');
    return this.resolveAnswer(close, alerted);
  };
}

/** The rows as `commitTransition` would store them: an older or repeated transition changes nothing. */
export class FakeRows implements TransitionActivities {
  transitions: Transition[] = [];
  unknownAttempts: number[] = [];

  commitTransition = async (transition: Transition): Promise<Committed> => {
    if (transition.seq > (this.latest?.seq ?? 0)) this.transitions.push(transition);
    return { revokeCapture: false };
  };

  markUnknown = async ({ attemptNo }: { attemptNo: number }): Promise<void> =>
    void this.unknownAttempts.push(attemptNo);

  resumePayment = (): Promise<ResumedPayment> => Promise.reject(new Error('nothing to resume from'));

  get latest(): Transition | undefined {
    return this.transitions.at(-1);
  }
}

export interface PaymentHarness {
  env: TestWorkflowEnvironment;
  provider: FakeProvider;
  rows: FakeRows;
  handle: WorkflowHandle<typeof paymentWorkflow>;
  pay(): Promise<unknown>;
  update(name: string, ...args: [] | [object]): Promise<unknown>;
  snapshot(): Promise<CheckoutSnapshot>;
  history(): Promise<temporal.api.history.v1.IHistory>;
  /**
   * Advances server time to a time counted from the payment's creation; building the harness took some of it.
   */
  sleepUntil(sinceCreationMs: number): Promise<void>;
}

/** Starts the one time-skipping server of a test file, in which time is global. */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const path = process.env['TEST_SERVER_PATH'];
  if (!path) throw new Error('TEST_SERVER_PATH is missing: run through npm test');
  const env = await startServer(path);
  const types = { Keyword: 2, Int: 3, Bool: 5 } as const;
  await env.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(
      Object.entries(searchAttributes).map(([name, type]) => [name, types[type]]),
    ),
  });
  return env;
}

/** Starts the server, several times if needed: the SDK waits only 5 s, too short on a busy machine. */
async function startServer(path: string, triesLeft = 4): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    });
  } catch (error) {
    if (triesLeft === 0) throw error;
    return startServer(path, triesLeft - 1);
  }
}

export interface PaymentHarnesses {
  /** Starts a payment's workflow with fake activities. Deadlines count from the server's own time. */
  open(): Promise<PaymentHarness>;
  close(): Promise<void>;
}

/** Starts workers for the payments of a test file. Each call goes to the fakes of the payment it names. */
export async function startPaymentHarnesses(env: TestWorkflowEnvironment): Promise<PaymentHarnesses> {
  const prefix = `${randomUUID()}-`;
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const providers = new Map<string, FakeProvider>();
  const tables = new Map<string, FakeRows>();
  const toProvider =
    <Name extends keyof PaymentActivities>(name: Name) =>
    (input: Parameters<PaymentActivities[Name]>[0]): unknown => {
      const provider = providers.get(input.paymentId);
      if (!provider) throw new Error('a call for a payment of another file');
      return (provider[name] as (input: unknown) => unknown)(input);
    };
  const connection = env.nativeConnection;
  const dataConverter = { failureConverter } as never;
  const workers = await Promise.all([
    Worker.create({
      connection,
      dataConverter,
      workflowBundle: { code },
      taskQueue: `${prefix}payments`,
      activities: {
        commitTransition: (transition: Transition) =>
          tables.get(transition.paymentId)?.commitTransition(transition),
        markUnknown: (input: { paymentId: string; attemptNo: number }) =>
          tables.get(input.paymentId)?.markUnknown(input),
        resumePayment: ({ paymentId }: { paymentId: string }) => tables.get(paymentId)?.resumePayment(),
        authorize: toProvider('authorize'),
        confirmAttempt: toProvider('confirmAttempt'),
        endCapture: toProvider('endCapture'),
      },
    }),
    Worker.create({
      connection,
      dataConverter,
      taskQueue: `${prefix}provider`,
      activities: {
        awaitAttempt: toProvider('awaitAttempt'),
        revokeCapture: toProvider('revokeCapture'),
        resolveAttempt: toProvider('resolveAttempt'),
      },
    }),
  ]);
  const runs = Promise.all(workers.map((worker) => worker.run()));
  return {
    open: async () => {
      const id = randomUUID();
      const [provider, rows] = [new FakeProvider(), new FakeRows()];
      providers.set(id, provider);
      tables.set(id, rows);
      return openHarness(env, prefix, id, provider, rows);
    },
    close: async () => {
      for (const worker of workers) worker.shutdown();
      await runs;
    },
  };
}

/**
 * Returns the start of a payment's workflow as the API creates it: a hosted checkout of half an hour with ten
 * minutes for capture, unless the test overrides it.
 */
export const startOf = (prefix: string, nowMs: number, payment: Partial<StartablePayment> = {}) =>
  paymentWorkflowStart(
    {
      id: randomUUID(),
      merchantId: randomUUID(),
      environment: 'sandbox',
      checkoutMode: 'hosted',
      amountCents: 2500,
      expiresAt: new Date(nowMs + 30 * minute),
      captureExpiresAt: new Date(nowMs + 10 * minute),
      reference: 'order-1',
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
      connectorId: null,
      ...payment,
    },
    prefix,
    nowMs,
  );

async function openHarness(
  env: TestWorkflowEnvironment,
  prefix: string,
  id: string,
  provider: FakeProvider,
  rows: FakeRows,
): Promise<PaymentHarness> {
  const now = await env.currentTimeMs();
  const start = startOf(prefix, now, { id, checkoutMode: 'custom' });
  const handle = await env.client.workflow.start<typeof paymentWorkflow>('paymentWorkflow', start);
  const update = (name: string, ...args: [] | [object]): Promise<unknown> =>
    handle.executeUpdate<unknown, [object]>(name, { args: args as [object] });
  // Each call of pay has its own reservation, as in the API.
  let reservations = 0;
  return {
    env,
    provider,
    rows,
    handle,
    update,
    pay: () => update('pay', { attemptNo: (reservations += 1), method: 'card' }),
    snapshot: () => handle.query<CheckoutSnapshot>('status'),
    history: () => handle.fetchHistory(),
    sleepUntil: async (sinceCreationMs) => {
      await env.sleep(Math.max(1, now + sinceCreationMs - (await env.currentTimeMs())));
    },
  };
}

/** Returns the API code of a refused update. */
export async function refusalOf(update: Promise<unknown>): Promise<string> {
  try {
    await update;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
      return String(error.cause.type);
    }
    throw error;
  }
  return 'accepted';
}

/** Waits in real time until `probe` holds; server time advances only by `env.sleep`. */
export async function until(probe: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1_500; round += 1) {
    if (await probe()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the condition did not come true');
}
