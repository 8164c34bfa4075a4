import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { paymentWorkflow } from '../../../src/workflows/payment/payment.ts';
import { FakeProvider, FakeRows, declinedReport, refusalOf, startOf } from '../../support/payment-harness.ts';

/* Events that arrive in one workflow task on the real server, because the worker was down meanwhile. */

let connection: Connection;
let native: NativeConnection;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const address = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';
  connection = await Connection.connect({ address });
  native = await NativeConnection.connect({ address });
});
afterAll(async () => {
  await native.close();
  await connection.close();
});

/** Starts a payment of `openMs` that no worker processes until one is started again. */
async function startUnseen(openMs: number) {
  const prefix = `${randomUUID()}-`;
  const [provider, rows] = [new FakeProvider(), new FakeRows()];
  const expiresAt = new Date(Date.now() + openMs);
  const start = startOf(prefix, Date.now(), { expiresAt, captureExpiresAt: expiresAt });
  const { workflow } = new Client({ connection });
  const handle = await workflow.start<typeof paymentWorkflow>('paymentWorkflow', start);
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  return {
    provider,
    rows,
    expiresAt,
    handle,
    update: (name: string, args: object) => handle.executeUpdate<unknown, [object]>(name, { args: [args] }),
    worker: () =>
      Worker.create({
        connection: native,
        workflowBundle: { code },
        taskQueue: `${prefix}payments`,
        activities: {
          authorize: provider.authorize,
          commitTransition: rows.commitTransition,
          endCapture: provider.endCapture,
        },
        // No task is kept for a worker that has stopped.
        stickyQueueScheduleToStartTimeout: '1 ms',
      }),
  };
}

// The pay's handler runs before the code that the timer wakes: only workflow time shows that it is late.
it('a pay that shares its workflow task with the deadline timer is refused and charges nothing', async () => {
  const { provider, expiresAt, handle, update, worker } = await startUnseen(2_000);
  const pay = refusalOf(update('pay', { attemptNo: 1, method: 'card' }));
  await sleep(Math.max(0, expiresAt.getTime() - Date.now()) + 500);
  const late = await worker();
  await late.runUntil(async () => {
    expect(await pay).toBe('checkout_expired');
    expect(await handle.result()).toMatchObject({ checkoutStatus: 'expired', paymentStatus: 'pending' });
  });
  expect(provider.calls.filter((call) => call.startsWith('authorize'))).toEqual([]);
});

// The activity with the pay's answer commits the next transition, so the loop must not use its number.
it("a move of the deadlines that shares its workflow task with a pay waits for the pay's transition", async () => {
  const { provider, rows, expiresAt, handle, update, worker } = await startUnseen(60_000);
  provider.authorizeAnswer = async (_no, expectedState) => {
    await sleep(50);
    return { ...declinedReport, committedTransition: { seq: expectedState?.seq ?? 0, revokeCapture: false } };
  };
  const pay = update('pay', { attemptNo: 1, method: 'card' });
  await sleep(300);
  const move = update('advanceClock', { bySeconds: 10 });
  await sleep(300);
  const late = await worker();
  await late.runUntil(async () => {
    expect(await pay).toMatchObject({ status: 'failed', attemptsLeft: 4 });
    expect(await move).toMatchObject({ expiresAtMs: expiresAt.getTime() - 10_000 });
    await handle.terminate();
  });
  expect(rows.transitions).toMatchObject([
    { seq: 2, attemptsLeft: 4, deadlines: { expiresAtMs: expiresAt.getTime() - 10_000 } },
  ]);
});
