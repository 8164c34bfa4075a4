import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { inTransaction } from '../../../src/db/server/database.ts';
import { jsonData } from '../../support/answers.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Makes a request without the headers that `fetch` adds automatically. */
async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> {
  const sent = request(url, { method, headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode ?? 0;
}
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

async function hostedPayment(fields: Record<string, unknown> = {}): Promise<{ id: string; url: string }> {
  const { data } = (await shop.create(fields)).body;
  return { id: String(data?.['id']), url: String(data?.['checkoutUrl']) };
}

/** Returns the times at which the page was opened according to the timeline. */
async function openings(id: string, query = ''): Promise<string[]> {
  const { entries } = jsonData(await shop.call('GET', `/v1/payments/${id}/timeline${query}`)) as {
    entries: { at: string; kind: string; title: string }[];
  };
  return entries.filter(({ kind }) => kind === 'checkout.opened').map(({ at }) => at);
}

it('records the first time that a browser shows the page, and nothing on a reload', async () => {
  const { id, url } = await hostedPayment();
  expect(await ask(url, navigation)).toBe(200);
  const [at = ''] = await openings(id);
  expect(await openings(id, `?at=${new Date(Date.parse(at) - 1).toISOString()}`)).toEqual([]);
  expect([await ask(url, navigation), await ask(`${url}/state`)]).toEqual([200, 200]);
  expect(await openings(id)).toEqual([at]);
});

it('does not count programs that fetch the link, a prefetch, or the page of a custom payment', async () => {
  const { id, url } = await hostedPayment();
  await ask(url);
  await ask(url, navigation, 'HEAD');
  await ask(url, { ...navigation, 'sec-purpose': 'prefetch;prerender' });
  await ask(url, { ...navigation, purpose: 'prefetch' });
  expect(await openings(id)).toEqual([]);
  // The page's script requests the state once the page is shown.
  await ask(`${url}/state`);
  expect(await openings(id)).toHaveLength(1);

  const custom = await hostedPayment({ checkoutMode: 'custom' });
  await ask(custom.url, navigation);
  expect(await openings(custom.id)).toEqual([]);
});

it('shows the page while the payment is being changed, and records the opening later', async () => {
  const { id, url } = await hostedPayment();
  await inTransaction(world.database, async (database) => {
    await database.query('SELECT FROM payments WHERE id = $1 FOR UPDATE', [id]);
    expect(await ask(url, navigation)).toBe(200);
  });
  expect(await openings(id)).toEqual([]);
  await ask(`${url}/state`);
  expect(await openings(id)).toHaveLength(1);
});
