import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import { replayProblem } from '../../support/replay.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const deadlineSeconds = 10;
const payments = 8;
const operators = 4;
const answerMs = 500;

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld(
    { CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds), CAPTURE_WINDOW_SECONDS: '8' },
    { worker: false },
  );
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Creates a payment whose workflow waits for the deadline only. */
async function declinedPayment(): Promise<string> {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id, '4000000000009995');
  expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
  return id;
}

/**
 * The second worker gets each workflow by a query first, so its tasks do not come to its own queue. A query
 * that is sent shortly before the deadline brings the history as it is when a worker takes it: with the timer
 * that fired, but without the task that follows.
 */
it('closes a checkout in time, and so that its history replays, while operators query its workflow', async () => {
  const { settings } = world;
  const converter = createDataConverter(createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS));
  const { connection, workflow } = createTemporalClient(
    { address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE },
    converter,
  );
  const calledOff = new AbortController();
  const ask = async (handle: WorkflowHandle): Promise<void> => {
    while (!calledOff.signal.aborted) {
      await connection
        .withDeadline(Date.now() + answerMs, () => handle.query('__temporal_workflow_metadata'))
        .catch(() => null);
    }
  };

  await world.startWorker('payments,provider');
  const createdAt = Date.now();
  const ids = await Promise.all(Array.from({ length: payments }, declinedPayment));
  await world.stopWorker();
  await world.startWorker('payments,provider');
  const handles = ids.map((id) => workflow.getHandle(paymentWorkflowId(id)));
  await sleep(createdAt + (deadlineSeconds - 2) * 1_000 - Date.now());
  const asking = handles.flatMap((handle) => Array.from({ length: operators }, () => ask(handle)));
  await eventually(async () => {
    const { rows } = await world.database.query('SELECT FROM payments WHERE finalized_at IS NULL');
    return rows.length === 0 ? true : undefined;
  }, 90_000);
  calledOff.abort();
  await Promise.all(asking);

  expect(world.logs.filter((line) => line.includes('deadline was missed'))).toEqual([]);
  const problems = await Promise.all(handles.map((handle) => replayProblem(handle, converter)));
  expect(problems).toEqual(ids.map(() => null));
}, 150_000);
