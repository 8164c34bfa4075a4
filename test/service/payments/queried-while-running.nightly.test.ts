import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadedDataConverter, defaultPayloadConverter } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { AttemptReport } from '../../../src/activities/attempt-report.ts';
import type { ExpectedState } from '../../../src/activities/commit-with-answer.ts';
import { failureConverter } from '../../../src/temporal/failure-converter.ts';
import {
  type PaymentHarnesses,
  paidReport,
  report,
  startPaymentHarnesses,
} from '../../support/payment-harness.ts';
import { replayProblem } from '../../support/replay.ts';

const dataConverter: LoadedDataConverter = {
  payloadConverter: defaultPayloadConverter,
  failureConverter,
  payloadCodecs: [],
};
const rounds = 15;
const atOnce = 4;

let env: TestWorkflowEnvironment;
let harnesses: PaymentHarnesses;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  // A real server adds waiting queries to a task; the time-skipping one does not.
  env = await TestWorkflowEnvironment.createFromExistingServer({
    address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '',
  });
  harnesses = await startPaymentHarnesses(env);
});
afterAll(async () => {
  await harnesses.close();
  await env.teardown();
});

const upTo = (ms: number): Promise<void> => sleep(Math.random() * ms);

/** Returns the network's answer like the real activities, committed under the expected number. */
const written = (answer: AttemptReport, expectedState: ExpectedState | null): AttemptReport => ({
  ...answer,
  ...(expectedState && { committedTransition: { seq: expectedState.seq, revokeCapture: false } }),
});

/**
 * Plays one payment whose customer is faster than the worker: the step is completed as soon as the rows show
 * it, while operators' pages query the workflow continuously. Returns the error of another worker that
 * replays its history.
 */
async function playOne(): Promise<string | null> {
  const payment = await harnesses.open();
  const { provider, rows, handle } = payment;
  const beside: Promise<unknown>[] = [];
  const news = (mayConfirm: boolean): Promise<unknown> => handle.signal('providerEvent', { mayConfirm });
  /** Waits for a call; a refusal counts as an answer. */
  const mayBeRefused = (call: Promise<unknown>): Promise<unknown> => call.catch(() => null);

  const { commitTransition } = rows;
  rows.commitTransition = async (transition) => {
    await upTo(10);
    return commitTransition(transition);
  };
  const customer = async (): Promise<void> => {
    await upTo(3);
    await news(true);
    await upTo(40);
    await mayBeRefused(payment.update('confirm'));
  };
  provider.authorizeAnswer = async (_attemptNo, expectedState) => {
    await upTo(20);
    beside.push(customer());
    return written(report({ status: 'requiresAction' }), expectedState);
  };
  provider.confirmAnswer = async (expectedState) => {
    await upTo(20);
    return written(paidReport, expectedState);
  };

  const isDone = new AbortController();
  const ask = async (): Promise<void> => {
    while (!isDone.signal.aborted) await mayBeRefused(handle.query('__stack_trace'));
  };
  // Empty tasks: queries that arrive during them are part of the next task, that of the pay.
  await news(false);
  beside.push(...Array.from({ length: 6 }, ask));
  for (let task = 0; task < 3; task += 1) {
    await upTo(8);
    beside.push(news(false));
  }
  beside.push(upTo(60).then(() => mayBeRefused(payment.update('advanceClock', { bySeconds: 1 }))));
  expect(await payment.pay()).toMatchObject({ status: 'requiresAction' });
  await upTo(60);
  await mayBeRefused(payment.update('confirm'));
  isDone.abort();
  await Promise.all(beside);
  return replayProblem(handle, dataConverter);
}

it('any worker can continue a payment that was queried during its workflow tasks', async () => {
  const problems: (string | null)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    problems.push(...(await Promise.all(Array.from({ length: atOnce }, playOne))));
  }
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
}, 300_000);
