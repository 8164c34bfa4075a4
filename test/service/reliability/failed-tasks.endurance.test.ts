import { Client, Connection } from '@temporalio/client';
import { paymentWorkflowId, refundWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { providerEventSignal } from '../../../src/temporal/contract/payment.ts';
import { freePorts } from '../../support/free-ports.ts';
import { incompatibleWorkflows, untilOpen } from '../../support/incompatible-workflows.ts';
import { idOf, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { startWorkerProcess } from '../../support/service-process.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1', REFUND_DELAY_SECONDS: '0' }, { worker: false });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

it('a worker with other workflows serves at once; it logs and counts each workflow task that fails', async () => {
  await world.startWorker('payments', await incompatibleWorkflows());
  const id = await paidPayment(shop, '4000000000007726');
  const refundId = idOf(await refund(shop, id));
  const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  await untilOpen(new Client({ connection }), refundWorkflowId(refundId));
  await connection.close();
  await world.stopWorker();

  const [port] = await freePorts(1);
  const worker = await startWorkerProcess(world, { WORKER_PORT: String(port) });
  try {
    await paidPayment(shop);
    await eventually(async () => {
      const { body } = await shop.call('GET', `/v1/refunds/${refundId}`);
      return body.data?.['status'] === 'succeeded' ? true : undefined;
    }, 90_000);
    const lines = worker.logged().split('\n');
    const failures = lines.filter((line) => line.includes('a workflow task failed'));
    // One for the run, or two when a callback of the network has started another task.
    expect(failures.map((line) => JSON.parse(line) as object)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          level: 50,
          code: 'TMPRL1100',
          runId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        }),
      ]),
    );
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect(await health.json()).toEqual({ ok: true, failedWorkflowTasks: failures.length });
    const { rows } = await eventually(async () => {
      const found = await world.database.query(
        "SELECT subject, detail FROM operator_alerts WHERE sweep = 'workflow tasks' AND cleared_at IS NULL",
      );
      return found.rows.length > 0 ? found : undefined;
    });
    expect(rows).toEqual([
      { subject: expect.stringContaining(`:${worker.pid}`) as string, detail: 'TMPRL1100' },
    ]);
  } finally {
    await worker.stop();
  }
}, 120_000);

it('the workflow of a payment that is over in the rows completes although its run is stuck', async () => {
  await world.startWorker('payments,provider', await incompatibleWorkflows());
  const id = await shop.customPayment();
  const declined = await shop.pay(id, await shop.captureCard(id, '4000000000009995'));
  expect(declined.body.data).toMatchObject({ status: 'failed' });
  await world.stopWorker();
  await world.database.query(
    `UPDATE payments SET checkout_status = 'expired', terminal_reason = 'checkout_expired', finalized_at = now()
     WHERE id = $1`,
    [id],
  );

  const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  const worker = await startWorkerProcess(world);
  try {
    const run = new Client({ connection }).workflow.getHandle(paymentWorkflowId(id));
    await run.signal(providerEventSignal, { mayConfirm: false });
    await eventually(
      async () => ((await run.describe()).status.name === 'COMPLETED' ? true : undefined),
      90_000,
    );
    expect(worker.logged()).toContain('TMPRL1100');
  } finally {
    await worker.stop();
    await connection.close();
  }
}, 120_000);
