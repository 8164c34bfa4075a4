import { readFile } from 'node:fs/promises';
import { keyed } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' }, { worker: false });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Returns workflows with a timer that this version's workflows do not have. */
async function otherWorkflows(): Promise<{ code: string }> {
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const known = 'void deadlines.watch();';
  const other = code.replace(
    known,
    `await (0,_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__.sleep)(1); ${known}`,
  );
  expect(other).not.toBe(code);
  return { code: other };
}

const capturedCharges = async (id: string) =>
  (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;

it('payments whose history does not replay resume from their rows: nothing is lost or charged twice', async () => {
  await world.startWorker('payments,provider', await otherWorkflows());
  const declined = await shop.customPayment();
  const card = await shop.captureCard(declined, '4000000000009995');
  expect((await shop.pay(declined, card)).body.data).toMatchObject({ status: 'failed', attemptsLeft: 4 });
  const challenged = await shop.customPayment();
  const withChallenge = await shop.captureCard(challenged, '4000000000003220');
  expect((await shop.pay(challenged, withChallenge)).body.data).toMatchObject({ status: 'requiresAction' });
  await world.stopWorker();

  await world.startWorker('payments,provider');
  const challenge = keyed(shop, `/v1/sandbox/payments/${challenged}/challenge`, { result: 'authenticated' });
  // A call replaces the run. Without a call, the sweep replaces it when the payment is overdue.
  await eventually(async () => ((await shop.pay(declined, card)).status === 200 ? true : undefined), 60_000);
  expect(await shop.status(declined)).toMatchObject({ status: 'paid' });
  await challenge;
  await world.database.query(
    `UPDATE payments SET expires_at = now() - interval '1 minute', capture_expires_at = now() - interval '2 minutes'
     WHERE id = $1`,
    [challenged],
  );
  const isFinal = async () => {
    const { rows } = await world.database.query<{ status: string }>(
      'SELECT status FROM payments WHERE id = $1 AND finalized_at IS NOT NULL',
      [challenged],
    );
    return rows[0]?.status;
  };
  const status = await eventually(isFinal, 60_000);
  expect(world.logs.some((line) => line.includes(challenged) && line.includes('run is stuck'))).toBe(true);
  expect(await capturedCharges(declined)).toBe(1);
  expect(await capturedCharges(challenged)).toBe(status === 'paid' ? 1 : 0);
}, 120_000);
