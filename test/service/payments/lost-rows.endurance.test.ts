import { Client, Connection } from '@temporalio/client';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createCaptureChecks } from '../../../src/activities/unexpected-captures.ts';
import { loadCheckout } from '../../../src/db/payments/checkouts.ts';
import { loadPayment } from '../../../src/db/payments/payments.ts';
import {
  type PaymentWorkflows,
  RowsBehindRun,
  createPaymentWorkflows,
} from '../../../src/temporal/clients/payments.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import type { Connectors, ProviderPorts } from '../../../src/providers/connectors.ts';
import type { Charge, PaymentNetwork } from '../../../src/providers/ports.ts';
import { partial } from '../../support/partial.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import {
  type PaymentRows,
  keepRows,
  putRowsBack,
  withReleased,
  withReservation,
} from '../../support/put-rows-back.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;
let connection: Connection;
let temporal: Client;
/** The workflows as another API process sees them, which has started none. */
let otherProcess: PaymentWorkflows;

beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  const client = new Client({ connection, dataConverter: createDataConverter(keyring) });
  otherProcess = createPaymentWorkflows({
    client,
    queuePrefix: world.settings.TASK_QUEUE_PREFIX,
    now: Date.now,
  });
});
afterAll(async () => {
  await connection.close();
  await world.close();
});

type Card = { cardToken: string; captureReference: string };

const capturedCharges = async (id: string) =>
  (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;
const attemptsOf = async (id: string) =>
  (await ledger(world.networkUrl, id)).charges.map(({ attemptId }) => attemptId).toSorted();

const rowsOf = async (id: string) =>
  (
    await world.database.query(
      'SELECT attempt_no AS no, status FROM attempts WHERE payment_id = $1 ORDER BY attempt_no',
      [id],
    )
  ).rows;

/** Pays until the rows show that the payment is paid, like a customer whose page does not show it yet. */
async function payUntilPaid(id: string, card: Card): Promise<void> {
  await eventually(async () => {
    if ((await shop.read(id))['status'] === 'paid') return true;
    const answer = await shop.pay(id, card);
    // The answer to a caller agrees with the state that the service shows.
    const isAnsweredPaid = answer.status === 200 && answer.body.data?.['status'] === 'paid';
    if (isAnsweredPaid && (await shop.read(id))['status'] !== 'paid')
      throw new Error('answered paid, shown unpaid');
    return undefined;
  }, 75_000);
}

/** Creates a payment. Returns its id, its card and its rows before the first attempt. */
async function beforePaying(number?: string): Promise<{ id: string; card: Card; rows: PaymentRows }> {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id, number);
  return { id, card, rows: await keepRows(world.database, id) };
}

const completed = (id: string) =>
  eventually(async () =>
    (await temporal.workflow.getHandle(`payment-${id}`).describe()).status.name === 'COMPLETED'
      ? true
      : undefined,
  );

describe('rows that lost their last commits', () => {
  test('a lost claim whose reservation is kept: the charge is found, and no second one is made', async () => {
    const { id, card, rows } = await beforePaying();
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await completed(id);
    await putRowsBack(world.database, id, withReservation(rows));
    await payUntilPaid(id, card);
    expect(await attemptsOf(id)).toEqual([`${id}:1`]);
    expect(await capturedCharges(id)).toBe(1);
    expect(await shop.status(id)).toMatchObject({ status: 'paid' });
  });

  test('a lost reservation: the result of the finished run is not returned as that of another attempt', async () => {
    const { id, card, rows } = await beforePaying();
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await completed(id);
    await putRowsBack(world.database, id, rows);
    expect((await shop.pay(id, card)).body.error).toMatchObject({ code: 'service_unavailable' });
    await payUntilPaid(id, card);
    expect(await attemptsOf(id)).toEqual([`${id}:1`]);
    expect(await capturedCharges(id)).toBe(1);
    const { rows: attempts } = await world.database.query(
      'SELECT status, card_last4 AS last4 FROM attempts WHERE payment_id = $1 ORDER BY attempt_no',
      [id],
    );
    expect(attempts).toContainEqual({ status: 'paid', last4: '4242' });
  });

  test('a lost reservation that no caller asks about: the end of the run is noticed', async () => {
    const { id, card, rows } = await beforePaying();
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await putRowsBack(world.database, id, rows);
    await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 60_000);
    expect(await attemptsOf(id)).toEqual([`${id}:1`]);
  });

  test('a lost decline while the run is open: the next attempt has another number', async () => {
    const { id, card, rows } = await beforePaying('4000000000009995');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
    await putRowsBack(world.database, id, rows);
    await eventually(async () => {
      const answer = await shop.pay(id, card);
      return answer.body.data?.['status'] === 'paid' ? true : undefined;
    }, 75_000);
    // A pay that fails on a busy machine releases its number, so the next number may exceed 2.
    const rest = (await rowsOf(id)).filter(({ status }) => status !== 'released');
    expect(rest).toEqual([
      { no: 1, status: 'declined' },
      { no: expect.any(Number) as number, status: 'paid' },
    ]);
    expect(await attemptsOf(id)).toEqual(rest.map(({ no }) => `${id}:${no}`));
    expect(await capturedCharges(id)).toBe(1);
    expect(await shop.read(id)).toMatchObject({ status: 'paid' });
  });

  test.each([true, false])(
    'an update to a finished run starts no other run from the rows; its row shows the start: %s',
    async (isStarted) => {
      const { id, card } = await beforePaying();
      const checkout = await loadCheckout(world.database, id);
      expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
      await completed(id);
      if (!checkout) throw new Error('the payment does not exist');
      const workflowStartedAt = isStarted ? new Date() : null;
      const attempt = { attemptNo: 1, method: 'card', requestId: crypto.randomUUID() } as const;
      await expect(otherProcess.pay({ ...checkout, workflowStartedAt }, attempt)).rejects.toMatchObject({
        code: 'service_unavailable',
        cause: expect.any(RowsBehindRun) as RowsBehindRun,
      });
      const { status } = await temporal.workflow.getHandle(`payment-${id}`).describe();
      expect(status.name).toBe('COMPLETED');
    },
  );

  test("a charge that is restored after the deadline isn't late; its checkout stays expired", async () => {
    const { id, card, rows } = await beforePaying();
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await completed(id);
    const deadline = new Date().toISOString();
    const deadlines = { expires_at: deadline, capture_expires_at: deadline };
    await putRowsBack(world.database, id, { ...rows, payment: { ...rows.payment, ...deadlines } });
    await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 75_000);
    const { rows: attempts } = await world.database.query(
      'SELECT late, captured_at < $2 AS "inTime" FROM attempts WHERE payment_id = $1',
      [id, deadline],
    );
    expect(attempts).toEqual([{ late: false, inTime: true }]);
    // Every read after the deadline has shown it.
    expect(await shop.status(id)).toMatchObject({ status: 'expired' });
  });

  test('a callback for a run that has completed starts no run from the rows', async () => {
    const { id, card, rows } = await beforePaying();
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await completed(id);
    const run = async () => (await temporal.workflow.getHandle(`payment-${id}`).describe()).runId;
    const before = await run();
    await putRowsBack(world.database, id, rows);
    const payment = await loadPayment(world.database, id);
    if (!payment) throw new Error('the payment does not exist');
    await otherProcess.notifyProviderEvent(payment, true);
    expect(await run()).toBe(before);
    await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 75_000);
  });

  test('a reported capture whose attempt is lost is restored, and not an unexpected one', async () => {
    const id = await shop.customPayment();
    const charge = partial<Charge>({
      chargeId: 'ch_1',
      status: 'captured',
      amountCents: 2_500,
      currency: 'USD',
    });
    const network = partial<PaymentNetwork>({
      prepare: null,
      findPrepared: null,
      lookup: async () => charge,
    });
    const captures = createCaptureChecks({
      database: world.database,
      connectors: partial<Connectors>({ portsOf: async () => partial<ProviderPorts>({ network }) }),
      webhooks: { dispatch: () => undefined },
      logger: { error: () => undefined },
    });
    await captures.checkCapture({ paymentId: id, attemptNo: 1, providerReference: null });
    const { rows: unexpected } = await world.database.query(
      'SELECT attempt_no FROM unexpected_captures WHERE payment_id = $1',
      [id],
    );
    expect(unexpected).toEqual([]);
    expect(await rowsOf(id)).toMatchObject([{ no: 1 }]);
  });

  // Not concurrent, because it makes the sweep check the payments of the other tests too.
  it('a new timeline: every open payment is compared with its run, and a lost challenge is shown again', async () => {
    const { id, card, rows } = await beforePaying('4000000000003220');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'requiresAction' });
    await putRowsBack(world.database, id, rows);
    expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    await world.database.query('UPDATE cluster_timeline SET timeline_id = timeline_id - 1');
    await eventually(async () => ((await shop.read(id))['status'] === 'requiresAction' ? true : undefined));
    expect(world.logs.some((line) => line.includes('PostgreSQL was promoted or restored'))).toBe(true);
    expect(await rowsOf(id)).toEqual([{ no: 1, status: 'requiresAction' }]);
    expect(await attemptsOf(id)).toEqual([`${id}:1`]);
  });

  test('two lost attempts of a finished run: the paid one is found behind the declined one', async () => {
    const { id, card, rows } = await beforePaying('4000000000009995');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed' });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await completed(id);
    await putRowsBack(world.database, id, rows);
    await payUntilPaid(id, card);
    expect(await attemptsOf(id)).toEqual([`${id}:1`, `${id}:2`]);
    expect((await rowsOf(id)).slice(0, 2)).toEqual([
      { no: 1, status: 'declined' },
      { no: 2, status: 'paid' },
    ]);
    expect(await shop.status(id)).toMatchObject({ status: 'paid', attemptsLeft: 4 });
  });

  test('a claim that was lost with its worker: the provider is asked before the reservation is released', async () => {
    const { id, card, rows } = await beforePaying();
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await completed(id);
    // No run has the attempt any more; only the provider does.
    const { runId } = await temporal.workflow.getHandle(`payment-${id}`).describe();
    await temporal.workflowService.deleteWorkflowExecution({
      namespace: world.settings.TEMPORAL_NAMESPACE,
      workflowExecution: { workflowId: `payment-${id}`, runId },
    });
    await putRowsBack(world.database, id, withReservation(rows));
    await payUntilPaid(id, card);
    expect(await attemptsOf(id)).toEqual([`${id}:1`]);
  });

  test.each(['paid', 'declined'])(
    'a lost attempt that was %s, and whose number was released since: no other is made before it is restored',
    async (outcome) => {
      const { id, card, rows } = await beforePaying(outcome === 'paid' ? undefined : '4000000000009995');
      expect((await shop.pay(id, card)).body.data).toMatchObject({
        status: outcome === 'paid' ? 'paid' : 'failed',
      });
      if (outcome === 'paid') await completed(id);
      // No run has the attempt any more; only the provider does.
      const run = {
        namespace: world.settings.TEMPORAL_NAMESPACE,
        execution: { workflowId: `payment-${id}` },
      };
      // Repeated, because a run that is just ending is not deleted. A busy server needs half a minute for it.
      await eventually(
        () =>
          temporal.workflowService
            .deleteWorkflowExecution({ namespace: run.namespace, workflowExecution: run.execution })
            .then(
              () => undefined,
              () => true,
            ),
        120_000,
      );
      const once = withReleased(rows);
      await putRowsBack(world.database, id, withReleased(once));
      await payUntilPaid(id, card);
      const numbers = await attemptsOf(id);
      expect(await capturedCharges(id)).toBe(1);
      const [first, second] = await rowsOf(id);
      expect(first).toEqual({ no: 1, status: outcome });
      expect(second).toEqual({ no: 2, status: 'released' });
      expect(numbers.filter((number) => number === `${id}:1` || number === `${id}:2`)).toEqual([`${id}:1`]);
    },
  );
});
