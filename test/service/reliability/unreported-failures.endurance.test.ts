import { Client, Connection } from '@temporalio/client';
import { paymentWorkflowId, taskQueue } from '../../../src/temporal/contract/ids.ts';
import { operatorReconcileNowSignal } from '../../../src/temporal/contract/payment.ts';
import { incompatibleWorkflows, untilOpen } from '../../support/incompatible-workflows.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** The time that the service has to recover from a stuck run, plus a margin for a busy machine, in ms. */
const recoveryMs = 60_000 + 30_000;

let world: World;
let connection: Connection;
beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' }, { worker: false });
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
});
afterAll(async () => {
  await connection.close();
  await world.close();
});

/** Takes the next workflow task of the payments' queue and does not answer, as a worker that dies with it. */
async function takeTask(): Promise<void> {
  const name = taskQueue(world.settings.TASK_QUEUE_PREFIX, 'payments');
  for (let tries = 0; tries < 20; tries += 1) {
    const polled = await connection
      .withDeadline(Date.now() + 5_000, () =>
        connection.workflowService.pollWorkflowTaskQueue({
          namespace: world.settings.TEMPORAL_NAMESPACE,
          taskQueue: { name },
          identity: 'dies',
        }),
      )
      .catch(() => null);
    if (polled && polled.taskToken.length > 0) return;
  }
  throw new Error('no task came');
}

it('replaces a stuck run although the worker that had the first try of its task died', async () => {
  const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  const temporal = new Client({ connection, namespace: world.settings.TEMPORAL_NAMESPACE });
  await world.startWorker('payments,provider', await incompatibleWorkflows());
  const id = await shop.customPayment();
  const declined = await shop.pay(id, await shop.captureCard(id, '4000000000009995'));
  expect(declined.body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
  const handle = temporal.workflow.getHandle(paymentWorkflowId(id));
  const pendingTask = async () => (await handle.describe()).raw.pendingWorkflowTask ?? null;
  await untilOpen(temporal, handle.workflowId);
  await eventually(async () => ((await pendingTask()) === null ? true : undefined));
  await world.stopWorker();
  const { runId } = await handle.describe();
  await handle.signal(operatorReconcileNowSignal);
  await takeTask();
  await eventually(async () => (((await pendingTask())?.attempt ?? 0) >= 2 ? true : undefined), 30_000);
  await world.startWorker('payments,provider');
  const next = await eventually(async () => {
    const latest = await handle.describe();
    return latest.runId === runId ? undefined : latest.status.name;
  }, recoveryMs);
  expect(next).toBe('RUNNING');
}, 240_000);
