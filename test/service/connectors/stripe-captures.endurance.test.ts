import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { jsonData } from '../../support/answers.ts';
import { submitChallenge } from '../../support/challenge.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import {
  PciVaultWorld,
  VAULT_KEY,
  VAULT_PASSPHRASE,
  VAULT_PASSWORD,
  VAULT_USER,
} from '../../support/pci-vault-dialect.ts';
import { dataOf, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { SECRET_KEY } from '../../support/stripe-dialect.ts';
import { type World, createWorld } from '../../support/world.ts';

const webhookSecret = 'whsec_OfTheTestsAlone000000000001';

let world: World;
let pair: PciVaultWorld;
let shop: Shop;
let connection: Connection;
let temporal: Client;

/** Runs the operator command; returns its output. */
async function admin(...args: string[]): Promise<Record<string, unknown>> {
  const command = ['--no-warnings', 'dist/src/cli/admin.js', ...args, '--json'];
  const options = { cwd: projectRoot, env: { ...process.env, ...world.environment } };
  const { stdout } = await promisify(execFile)(process.execPath, command, options);
  return JSON.parse(stdout) as Record<string, unknown>;
}
const order = async (path: string, body: object): Promise<void> => {
  const answer = await fetch(`${pair.stripe.url}/simulate/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`Stripe's dialect answered ${answer.status} ${await answer.text()}`);
};

beforeAll(async () => {
  pair = await PciVaultWorld.start();
  world = await createWorld({ SWEEP_SECONDS: '1', REFUND_DELAY_SECONDS: '0' });
  // The merchant confirms by itself, and late payments are refunded.
  const merchantId = await world.merchant({ sandbox: { customActions: true, refundLate: true } });
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const { webhookUrl } = await admin(
    ...['connector', 'set', '--kind', 'stripe', '--merchant', merchantId, '--environment', 'sandbox'],
    ...['--secret-key', SECRET_KEY, '--publishable-key', 'pk_test_51DialectAccount'],
    ...['--vault-user', VAULT_USER, '--vault-password', VAULT_PASSWORD],
    ...['--vault-key', VAULT_KEY, '--vault-passphrase', VAULT_PASSPHRASE],
    ...['--api-base', pair.stripe.url, '--vault-base', pair.url, '--webhook-secret', webhookSecret],
  );
  await order('webhook_endpoints', { url: webhookUrl, secret: webhookSecret });
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await world.close();
  await pair.stop();
});

const intentOf = async (id: string): Promise<string> => {
  const { rows } = await world.database.query<{ intent: string }>(
    'SELECT provider_reference AS intent FROM attempts WHERE payment_id = $1 ORDER BY attempt_no',
    [id],
  );
  return rows[0]?.intent ?? '';
};
const eventsOf = async (id: string) =>
  jsonData(await shop.call('GET', `/v1/events?paymentId=${id}`)) as {
    type: string;
    data: Record<string, unknown>;
  }[];
const unexpectedOf = async (id: string) =>
  (await eventsOf(id)).filter(({ type }) => type === 'payment.unexpectedCapture');

/** Creates a payment whose customer completes the step, so that Stripe takes the money. */
async function passTheStep(): Promise<string> {
  const id = await shop.customPayment();
  const answer = await shop.pay(id, await shop.captureCard(id, '4000000000003220'));
  expect(dataOf(answer)).toMatchObject({ status: 'requiresAction' });
  const { actionUrl } = (await shop.checkout(id)) as { actionUrl: string };
  const page = await fetch(actionUrl, { redirect: 'manual' });
  await submitChallenge(page.headers.get('location') ?? '', 'approve');
  return id;
}

it('reads a success that Stripe reports also where the merchant confirms by itself', async () => {
  const id = await passTheStep();
  await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
  expect((await shop.confirm(id)).body.error).toMatchObject({ code: 'confirmation_not_required' });
  expect((await eventsOf(id)).at(-1)?.data).not.toHaveProperty('late');
});

it('does not give back money that Stripe took before the operator closed the checkout', async () => {
  await order('webhooks', { mode: 'lost', type: 'payment_intent.succeeded' });
  const id = await passTheStep();
  await temporal.workflow.getHandle(paymentWorkflowId(id)).cancel();
  await untilField(shop, `/v1/payments/${id}`, 'status', 'paid');
  const paid = (await eventsOf(id)).find(({ type }) => type === 'payment.paid');
  expect(paid?.data).not.toHaveProperty('late');
  const { rows } = await world.database.query('SELECT FROM refunds WHERE payment_id = $1', [id]);
  expect(rows).toEqual([]);
});

it('reports money that Stripe took after a decline, once', async () => {
  const id = await shop.customPayment();
  await shop.pay(id, await shop.captureCard(id, '4000000000009987'));
  expect(await shop.read(id)).toMatchObject({ status: 'failed' });
  await order('webhooks', { mode: 'doubled', type: 'payment_intent.succeeded' });
  const intent = await intentOf(id);
  await order(`payment_intents/${intent}/capture`, {});
  const [event] = await eventually(async () => {
    const found = await unexpectedOf(id);
    return found.length > 0 ? found : undefined;
  });
  expect(event?.data['unexpectedCapture']).toMatchObject({ attemptNo: 1, providerReference: intent });
  expect(await shop.read(id)).toMatchObject({ status: 'failed' });
  const { alerts } = (await admin('alert', 'list')) as { alerts: { subject: string; detail: string }[] };
  expect(alerts.filter(({ subject }) => subject === id)).toHaveLength(1);
});

it('finds an intent that names the payment and that the rows do not have, and none of another payment', async () => {
  const id = await shop.customPayment();
  await shop.pay(id, await shop.captureCard(id));
  expect(await shop.read(id)).toMatchObject({ status: 'paid' });
  for (const named of [id, '01931c5e-0000-7000-8000-000000000000']) {
    await pair.stripe.post('/v1/payment_intents', {
      ...{ amount: 3100, currency: 'usd', payment_method: 'pm_card_visa', confirm: true },
      ...{ return_url: 'https://shop.example/ok', metadata: { paymentId: named, attempt: '2' } },
    });
  }
  const [event] = await eventually(async () => {
    const found = await unexpectedOf(id);
    return found.length > 0 ? found : undefined;
  });
  expect(event?.data['unexpectedCapture']).toMatchObject({ attemptNo: 2, amountCents: 3100 });
  const { rows } = await world.database.query('SELECT FROM unexpected_captures WHERE payment_id <> $1', [id]);
  expect(rows).toHaveLength(1);
});
