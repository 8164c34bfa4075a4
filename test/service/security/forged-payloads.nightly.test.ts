import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { endByHand, firstReport, historyOf, runningActivity } from '../../support/by-hand.ts';
import { keyed } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** An attacker with access to Temporal, but none of the service's keys, tries to make payments paid. */

let world: World;
let shop: Shop;
let client: Client;

beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  client = createTemporalClient(
    { address: world.settings.TEMPORAL_ADDRESS, namespace: world.settings.TEMPORAL_NAMESPACE },
    createDataConverter(createKeyring(world.settings.ENCRYPTION_KEYS)),
  );
});
afterAll(async () => {
  await client.connection.close();
  await world.close();
});

const order = (id: string, outcome: string) => keyed(shop, `/v1/sandbox/payments/${id}/outcome`, { outcome });

/** Creates a payment that the network has accepted but not decided, so that it is queried repeatedly. */
async function undecided(): Promise<string> {
  const id = await shop.customPayment();
  await order(id, 'processing');
  return id;
}

/** Returns the activity that queries the network, as soon as it runs and is not one of `before`. */
const asking = (id: string, before: readonly string[] = []): Promise<string> =>
  runningActivity(client, paymentWorkflowId(id), 'resolveAttempt', before);

const end = (id: string, activityId: string, how: Parameters<typeof endByHand>[2]): Promise<void> =>
  endByHand(client, { workflowId: paymentWorkflowId(id), activityId }, how);

const paid = {
  outcome: { status: 'paid' },
  card: { brand: 'visa', last4: '4242', expMonth: 1, expYear: 2031 },
};

/** Returns the network's own answer in the history of a payment that was really paid. */
async function paidElsewhere(): Promise<Payload> {
  const id = await undecided();
  await asking(id);
  await order(id, 'paid');
  return firstReport(client, paymentWorkflowId(id));
}

it.each([
  ['in clear', async () => defaultPayloadConverter.toPayload(paid)],
  ['sealed, of another payment', paidElsewhere],
])(
  'an activity completed by hand pays nothing, and the network is queried again: %s',
  async (_what, forge) => {
    const payload = await forge();
    const id = await undecided();
    const asked = await asking(id);
    await end(id, asked, { completed: payload });
    await asking(id, [asked]);
    expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    await order(id, 'failed');
    await eventually(async () => ((await shop.read(id))['status'] === 'failed' ? true : undefined), 60_000);
    expect((await ledger(world.networkUrl, id)).charges.map(({ status }) => status)).toEqual(['declined']);
  },
);

it('an activity failed by hand is run again', async () => {
  const id = await undecided();
  const asked = await asking(id);
  await end(id, asked, { failed: 'by hand' });
  await asking(id, [asked]);
  await order(id, 'paid');
  await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 60_000);
  expect((await ledger(world.networkUrl, id)).charges.map(({ status }) => status)).toEqual(['captured']);
});

it('signals in clear are dropped, updates in clear are refused, and the payment continues', async () => {
  const id = await undecided();
  const foreign = createTemporalClient(
    { address: world.settings.TEMPORAL_ADDRESS, namespace: world.settings.TEMPORAL_NAMESPACE },
    { ...createDataConverter(createKeyring(world.settings.ENCRYPTION_KEYS)), payloadCodecs: [] },
  );
  const handle = foreign.workflow.getHandle(paymentWorkflowId(id));
  await handle.signal('providerEvent', { mayConfirm: true });
  // The update's result is sealed, and this client cannot read it.
  await handle.executeUpdate('advanceClock', { args: [{ bySeconds: 60 }] }).catch(() => undefined);
  const accepted = (await historyOf(client, paymentWorkflowId(id))).map(
    (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name,
  );
  expect(accepted).not.toContain('advanceClock');
  await foreign.connection.close();
  await order(id, 'paid');
  await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 60_000);
});
