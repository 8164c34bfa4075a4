import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { paymentWorkflowStart } from '../../../src/temporal/contract/start-payment.ts';
import type { paymentWorkflow } from '../../../src/workflows/payment/payment.ts';
import { FakeProvider, FakeRows, refusalOf } from '../../support/payment-harness.ts';

/**
 * On the real server, with the worker away: the deadline's timer and a pay land in one workflow task, where
 * the pay's handler runs before anything the timer wakes. Only workflow time tells that it is too late.
 */
it('a pay that shares its workflow task with the deadline timer is refused and charges nothing', async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const address = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const prefix = `${randomUUID()}-`;
  const provider = new FakeProvider();
  const rows = new FakeRows();
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const worker = () =>
    Worker.create({
      connection: native,
      workflowBundle: { code },
      taskQueue: `${prefix}payments`,
      activities: { commitTransition: rows.commitTransition, endCapture: provider.endCapture },
      // No task is kept for a worker that is gone.
      stickyQueueScheduleToStartTimeout: '1 ms',
    });
  const expiresAt = new Date(Date.now() + 2_000);
  const start = paymentWorkflowStart(
    {
      id: randomUUID(),
      merchantId: randomUUID(),
      environment: 'sandbox',
      checkoutMode: 'hosted',
      amountCents: 2500,
      expiresAt,
      captureExpiresAt: expiresAt,
    },
    prefix,
    Date.now(),
  );
  const handle = await client.workflow.start<typeof paymentWorkflow>('paymentWorkflow', start);
  const pay = refusalOf(
    handle.executeUpdate<unknown, [object]>('pay', { args: [{ attemptNo: 1, method: 'card' }] }),
  );
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt.getTime() - Date.now()) + 500));
  const late = await worker();
  await late.runUntil(async () => {
    expect(await pay).toBe('checkout_expired');
    expect(await handle.result()).toMatchObject({ checkoutStatus: 'expired', paymentStatus: 'pending' });
  });
  expect(provider.calls.filter((call) => call.startsWith('authorize'))).toEqual([]);
  await native.close();
  await connection.close();
});
