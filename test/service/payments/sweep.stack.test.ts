import { Client, Connection } from '@temporalio/client';
import { clearLeftovers } from '../../../src/db/server/leftovers.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await world.close();
});

const run = (id: string) => temporal.workflow.getHandle(`payment-${id}`);
/** Creates a payment and waits for the start of its workflow, which happens in the background. */
const startedPayment = async (): Promise<string> => {
  const id = await shop.customPayment();
  await eventually(async () => {
    const { rows } = await world.database.query(
      'SELECT FROM payments WHERE id = $1 AND workflow_started_at IS NOT NULL',
      [id],
    );
    return rows.length === 1 ? true : undefined;
  });
  return id;
};
const healed = (id: string, reason: string) =>
  eventually(async () =>
    world.logs.some((line) => line.includes(id) && line.includes(reason)) ? true : undefined,
  );
const paid = (id: string) =>
  eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined));
const capturedCharges = async (id: string) =>
  (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;

describe('the sweeper heals', () => {
  test('a payment whose workflow was never started, by starting it', async () => {
    const id = await startedPayment();
    await run(id).terminate();
    // As if the start had never reached Temporal: the row shows no start, and only a run that has ended has
    // the id.
    await world.database.query('UPDATE payments SET workflow_started_at = NULL WHERE id = $1', [id]);
    await healed(id, 'run is gone');
    const { rows } = await world.database.query(
      'SELECT FROM payments WHERE id = $1 AND workflow_started_at IS NOT NULL',
      [id],
    );
    expect(rows).toHaveLength(1);
    expect((await shop.pay(id, await shop.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
    expect(await capturedCharges(id)).toBe(1);
  });

  test('a payment terminated between two attempts, which continues with one attempt used and the same card', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000009995');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
    await run(id).terminate();
    await healed(id, 'run is gone');
    expect(await shop.status(id)).toMatchObject({ status: 'failed_retryable', attemptsLeft: 4 });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    expect(await capturedCharges(id)).toBe(1);
  });

  test('a payment terminated during its charge, by a query to the network and without a second charge', async () => {
    const id = await shop.customPayment();
    const paying = shop.pay(id, await shop.captureCard(id, '4000000000007304'));
    await eventually(async () =>
      (await ledger(world.networkUrl, id)).charges.length > 0 ? true : undefined,
    );
    await run(id).terminate();
    expect((await paying).status).toBe(503);
    await paid(id);
    expect(await capturedCharges(id)).toBe(1);
    await eventually(async () => ((await run(id).describe()).status.name === 'COMPLETED' ? true : undefined));
  });

  test('a reservation whose process died before a worker claimed it: it is released, and the fence with it', async () => {
    const id = await startedPayment();
    const card = await shop.captureCard(id);
    await world.database.query(
      `WITH fence AS (UPDATE payments SET checkout_status = 'processing' WHERE id = $1)
       INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at)
       VALUES ($1, 1, 'processing', 'card', gen_random_uuid(), now() - interval '1 minute')`,
      [id],
    );
    expect((await shop.pay(id, card)).body.error).toMatchObject({ code: 'payment_in_progress' });
    await healed(id, 'reservation was abandoned');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    expect(await capturedCharges(id)).toBe(1);
  });

  test('a payment whose deadline passed without its run: it is closed', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000009995');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
    await world.database.query(
      `UPDATE payments SET capture_expires_at = now() - interval '2 minutes', expires_at = now() - interval '1 minute'
       WHERE id = $1`,
      [id],
    );
    await healed(id, 'deadline was missed');
    await eventually(async () => ((await run(id).describe()).status.name === 'COMPLETED' ? true : undefined));
    expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
  });

  test('a workflow that was reset to its beginning, which resumes from the rows instead of charging again', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000000002');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ attemptsLeft: 4 });
    const before = await run(id).describe();
    const { events } = await run(id).fetchHistory();
    const firstTask = events?.find(({ workflowTaskCompletedEventAttributes: completed }) => completed);
    await temporal.workflowService.resetWorkflowExecution({
      namespace: world.settings.TEMPORAL_NAMESPACE,
      workflowExecution: { workflowId: before.workflowId, runId: before.runId },
      reason: 'test',
      requestId: crypto.randomUUID(),
      workflowTaskFinishEventId: firstTask?.eventId ?? null,
      // A reset drops updates and signals, so the new run can resume only from the rows.
      resetReapplyType: 2,
    });
    await healed(id, 'run was reset');
    // The workflow has received the resume signal, and from here on owns the rows.
    const { runId } = await run(id).describe();
    await eventually(async () => {
      const { rows } = await world.database.query(
        'SELECT FROM payments WHERE id = $1 AND workflow_run_id = $2',
        [id, runId],
      );
      return rows.length === 1 ? true : undefined;
    });
    expect(await shop.status(id)).toMatchObject({ attemptsLeft: 4 });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 3 });
    expect((await ledger(world.networkUrl, id)).charges).toHaveLength(2);
  });
});

it('rows past their retention are deleted, others are kept', async () => {
  const id = await shop.customPayment();
  await shop.pay(id, await shop.captureCard(id));
  const open = await shop.customPayment();
  await shop.captureCard(open);
  await world.database.query("UPDATE payments SET finalized_at = now() - interval '1 hour' WHERE id = $1", [
    id,
  ]);
  await world.database.query(
    `UPDATE idempotency_keys SET expires_at = now() - interval '1 hour' WHERE resource_id = $1`,
    [id],
  );
  await eventually(async () => {
    await clearLeftovers(world.database, 'idempotencyKeys', new Date(), 10);
    const { rows } = await world.database.query<{ left: number }>(
      'SELECT count(*)::int AS left FROM idempotency_keys WHERE resource_id = $1',
      [id],
    );
    return rows[0]?.left === 0 ? true : undefined;
  });
  const { rows } = await world.database.query(
    'SELECT 1 FROM idempotency_keys WHERE resource_id = $1 UNION ALL SELECT 1 FROM capture_access WHERE payment_id = $1 AND secret_sealed IS NOT NULL',
    [open],
  );
  expect(rows).toHaveLength(2);
});
