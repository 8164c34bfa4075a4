import { submitChallenge } from '../../support/challenge.ts';
import { setMerchantStatus } from '../../../src/db/merchants/merchants.ts';
import { PageClient } from '../../support/page-client.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { byOperator } from '../../support/harness/by-operator.ts';

const challengeCard = '4000000000003220';
const plainCard = '4242424242424242';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Creates a hosted payment of its own merchant, and returns a function that disables the merchant. */
async function openPayment() {
  const merchant = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchant, 'sandbox'));
  const { data } = (await shop.create()).body;
  const id = String(data?.['id']);
  const page = new PageClient(String(data?.['checkoutUrl']), world.vaultUrl);
  const setStatus = (status: 'active' | 'disabled') =>
    setMerchantStatus(world.database, merchant, status, byOperator());
  return { shop, id, page, setStatus };
}

const paymentStatus = async (id: string): Promise<string> => {
  const { rows } = await world.database.query<{ status: string }>(
    'SELECT status FROM payments WHERE id = $1',
    [id],
  );
  return rows[0]?.status ?? '';
};

it('accepts no payment any more, whatever the customer had open, and offers none', async () => {
  const { id, page, setStatus } = await openPayment();
  const card = await page.card(plainCard);
  await setStatus('disabled');
  const answers = [
    await page.post('pay', { method: 'card', ...card }),
    await page.pay('wallet'),
    await page.pay('pix'),
    await page.post('card-fields', {}),
  ];
  expect(answers.map(({ status, body }) => [status, (body['error'] as { code: string }).code])).toEqual(
    Array.from({ length: 4 }, () => [410, 'checkout_expired']),
  );
  expect((await ledger(world.networkUrl, id)).charges).toEqual([]);
  const { rows } = await world.database.query('SELECT 1 FROM attempts WHERE payment_id = $1', [id]);
  expect(rows).toEqual([]);
});

it('shows a page that is closed', async () => {
  const { page, setStatus } = await openPayment();
  await setStatus('disabled');
  expect(await (await fetch(page.url)).text()).not.toContain('name="method"');
  const state = await (await fetch(`${page.url}/state`)).json();
  expect(state).toMatchObject({ kind: 'closed', paid: false });
});

it('continues where it was once it is active again', async () => {
  const { id, page, setStatus } = await openPayment();
  await setStatus('disabled');
  await setStatus('active');
  expect((await page.payByCard(plainCard)).status).toBe(200);
  expect(await paymentStatus(id)).toBe('paid');
});

it('has running attempts resolved: a challenge that was begun is confirmed, and the capture is reported', async () => {
  const { id, page, setStatus } = await openPayment();
  expect((await page.payByCard(challengeCard)).body).toMatchObject({ kind: 'challenge' });
  await setStatus('disabled');
  const [charge] = (await ledger(world.networkUrl, id)).charges;
  expect(charge?.status).toBe('pending');
  const html = await (await fetch(page.url)).text();
  const action = /"?(\/a\/[A-Za-z0-9_-]{43})/.exec(html)?.[1] ?? '';
  const challenge = await fetch(world.baseUrl + action, { redirect: 'manual' });
  await submitChallenge(challenge.headers.get('location') ?? '', 'approve');
  expect(await eventually(async () => ((await paymentStatus(id)) === 'paid' ? 'paid' : undefined))).toBe(
    'paid',
  );
});
