import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import {
  PciVaultWorld,
  VAULT_KEY,
  VAULT_PASSPHRASE,
  VAULT_PASSWORD,
  VAULT_USER,
} from '../../support/pci-vault-dialect.ts';
import { keepRows, putRowsBack, withReservation } from '../../support/put-rows-back.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { SECRET_KEY } from '../../support/stripe-dialect.ts';
import { type World, createWorld } from '../../support/world.ts';

const admin = join(import.meta.dirname, '../../../dist/src/cli/admin.js');

let world: World;
let pair: PciVaultWorld;
let shop: Shop;

beforeAll(async () => {
  pair = await PciVaultWorld.start();
  world = await createWorld({ SWEEP_SECONDS: '1' });
  const merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  await promisify(execFile)(
    process.execPath,
    [
      ...[
        admin,
        'connector',
        'set',
        '--kind',
        'stripe',
        '--merchant',
        merchantId,
        '--environment',
        'sandbox',
      ],
      ...['--secret-key', SECRET_KEY, '--publishable-key', 'pk_test_51DialectAccount'],
      ...['--vault-user', VAULT_USER, '--vault-password', VAULT_PASSWORD],
      ...['--vault-key', VAULT_KEY, '--vault-passphrase', VAULT_PASSPHRASE],
      ...['--api-base', pair.stripe.url, '--vault-base', pair.url],
      ...['--webhook-secret', 'whsec_OfTheTestsAlone000000000001', '--json'],
    ],
    { env: { PATH: process.env['PATH'], ...world.environment } },
  );
});
afterAll(async () => {
  await world.close();
  await pair.stop();
});

const capturedOf = async (id: string): Promise<number> =>
  (await pair.stripe.get(`/ledger?paymentId=${id}`))
    .json<{ charges: { status: string }[] }>()
    .charges.filter(({ status }) => status === 'captured').length;

it.each(['claim', 'reservation'])(
  'a lost %s at Stripe: the intent is found by its metadata, and no second one is charged',
  async (lost) => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id);
    const rows = await keepRows(world.database, id);
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    await putRowsBack(world.database, id, lost === 'claim' ? withReservation(rows) : rows);
    await eventually(async () => {
      await shop.pay(id, card);
      return (await shop.read(id))['status'] === 'paid' ? true : undefined;
    }, 60_000);
    expect(await capturedOf(id)).toBe(1);
    const { rows: attempts } = await world.database.query(
      'SELECT status, provider_reference AS reference FROM attempts WHERE payment_id = $1 ORDER BY attempt_no LIMIT 1',
      [id],
    );
    expect(attempts).toEqual([{ status: 'paid', reference: expect.stringMatching(/^pi_/) as string }]);
  },
);

it.each(['answers', 'fails at first'])(
  'a number that only Stripe knows, used with another card; the vault %s: no second charge',
  async (vault) => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id);
    const other = await shop.captureCard(id, '5555555555554444');
    const rows = await keepRows(world.database, id);
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
    const run = {
      namespace: world.settings.TEMPORAL_NAMESPACE,
      execution: { workflowId: `payment-${id}` },
    };
    await connection.workflowService.deleteWorkflowExecution({
      namespace: run.namespace,
      workflowExecution: run.execution,
    });
    // Temporal deletes in the background.
    await eventually(() =>
      connection.workflowService.describeWorkflowExecution(run).then(
        () => undefined,
        () => true,
      ),
    );
    await connection.close();
    await putRowsBack(world.database, id, rows);
    if (vault === 'fails at first') {
      await pair.order({ mode: 'error', count: 1_000, on: 'proxy' });
      await shop.pay(id, other);
      await pair.ask('DELETE', '/simulate/faults');
    }
    await eventually(async () => {
      await shop.pay(id, other);
      return (await shop.read(id))['status'] === 'paid' ? true : undefined;
    }, 75_000);
    expect(await capturedOf(id)).toBe(1);
  },
);
