import { randomUUID } from 'node:crypto';
import type { MerchantSettings } from '../../../src/db/merchants/merchants.ts';
import { clearCardTesting } from '../../../src/operations/payments/card-testing.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { PageClient } from '../../support/page-client.ts';
import { type Answer, Shop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ RATE_LIMITS: 'off' });
});
afterAll(() => world.close());

/** Returns the n-th number of the range that the simulators decline, with its check digit. */
function declinedNumber(n: number): string {
  const head = `40000077${String(n).padStart(7, '0')}`;
  const sum = Array.from(head)
    .toReversed()
    .map(Number)
    .reduce(
      (all, digit, place) => all + (place % 2 === 1 ? digit : ((digit * 2) % 10) + Math.floor(digit / 5)),
      0,
    );
  return `${head}${(10 - (sum % 10)) % 10}`;
}

const off = {
  declinesPerMerchant: 0,
  declinesPerKey: 0,
  declinesPerAddress: 0,
  declinesPerBin: 0,
  declinesPerCard: 0,
} satisfies Partial<MerchantSettings>;

/** Creates a shop of a new merchant that has only these limits. */
async function open(limits: Partial<MerchantSettings>): Promise<{ shop: Shop; merchantId: string }> {
  const merchantId = await world.merchant({ sandbox: { customMode: true, ...off, ...limits } });
  return { shop: new Shop(world.baseUrl, await world.key(merchantId, 'sandbox')), merchantId };
}

async function pay(shop: Shop, number: string): Promise<Answer> {
  const id = await shop.customPayment({ reference: `order-${randomUUID()}` });
  return shop.pay(id, await shop.captureCard(id, number));
}

const outcome = ({ status, body }: Answer): string =>
  body.error?.code ?? String(status === 200 ? body.data?.['status'] : status);

/** Returns the outcomes of declined numbers, one after another, or of one repeated number. */
async function outcomes(shop: Shop, count: number, number = declinedNumber): Promise<string[]> {
  const seen: string[] = [];
  for (let n = 0; n < count; n += 1) seen.push(outcome(await pay(shop, number(n))));
  return seen;
}

const eventsOf = async (shop: Shop) => (await shop.call('GET', '/v1/events?type=risk.cardTesting')).body.data;

describe('a key that tries card after card', () => {
  it('is challenged above half of its limit, then refused, while another key of the merchant sells', async () => {
    const { shop, merchantId } = await open({ declinesPerKey: 4 });
    expect(await outcomes(shop, 6)).toEqual([
      'failed',
      'failed',
      'failed',
      'requiresAction',
      'too_many_declines',
      'too_many_declines',
    ]);
    const refused = await pay(shop, '4242424242424242');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    const other = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    expect(outcome(await pay(other, '4242424242424242'))).toBe('paid');
    const { rows } = await world.database.query(
      `SELECT detail FROM operator_alerts WHERE sweep = 'card testing' AND merchant_id = $1`,
      [merchantId],
    );
    expect(rows).toEqual([{ detail: 'key' }]);
    const events = await eventsOf(other);
    expect(events).toEqual([
      expect.objectContaining({ data: expect.objectContaining({ dimension: 'key' }) }),
    ]);
    await clearCardTesting(world.database, { merchantId, environment: 'sandbox' }, byOperator());
    expect(outcome(await pay(shop, '4242424242424242'))).toBe('paid');
  });

  it('is not refused where as many payments are paid', async () => {
    const { shop } = await open({ declinesPerKey: 2 });
    for (let n = 0; n < 5; n += 1) await pay(shop, '4242424242424242');
    expect(await outcomes(shop, 3)).toEqual(['failed', 'failed', 'failed']);
  });
});

describe('one dimension', () => {
  it('of a merchant refuses all its keys', async () => {
    const { shop, merchantId } = await open({ declinesPerMerchant: 1 });
    expect(await outcomes(shop, 2)).toEqual(['failed', 'too_many_declines']);
    const other = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    expect(outcome(await pay(other, '4242424242424242'))).toBe('too_many_declines');
  });

  it('of a BIN refuses cards that begin with it, and no attempt is used', async () => {
    const { shop } = await open({ declinesPerBin: 1 });
    const id = await shop.customPayment();
    expect(outcome(await pay(shop, declinedNumber(0)))).toBe('failed');
    const card = await shop.captureCard(id, declinedNumber(1));
    expect(outcome(await shop.pay(id, card))).toBe('too_many_declines');
    expect((await shop.status(id))['attemptsLeft']).toBe(5);
    expect(outcome(await pay(shop, '4242424242424242'))).toBe('paid');
  });

  it('of a card refuses that card alone', async () => {
    const { shop } = await open({ declinesPerCard: 1 });
    const same = () => declinedNumber(7);
    expect(await outcomes(shop, 2, same)).toEqual(['failed', 'too_many_declines']);
    expect(outcome(await pay(shop, declinedNumber(8)))).toBe('failed');
  });
});

it('a customer on the hosted page is refused by network, and asked to try later', async () => {
  const { shop } = await open({ declinesPerAddress: 2 });
  const payByCard = async (number: string) => {
    const { body } = await shop.create();
    return new PageClient(String(body.data?.['checkoutUrl']), world.vaultUrl).payByCard(number);
  };
  expect((await payByCard(declinedNumber(1))).status).toBe(200);
  expect((await payByCard(declinedNumber(2))).status).toBe(200);
  const { status, body } = await payByCard('4242424242424242');
  expect([status, body['error']]).toEqual([429, expect.objectContaining({ code: 'too_many_declines' })]);
  expect(body['problem']).toMatch(/try again/i);
});

it('Home carries a mark that only an owner clears', async () => {
  const { shop, merchantId } = await open({ declinesPerMerchant: 1 });
  await outcomes(shop, 2);
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
  expect((await owner.get('/dashboard/sandbox')).text).toContain('data-testid="card-testing"');
  expect((await owner.get('/dashboard/live')).text).not.toContain('data-testid="card-testing"');
  expect((await support.post('/dashboard/sandbox/card-testing/clear')).status).toBe(403);
  expect((await owner.post('/dashboard/sandbox/card-testing/clear')).status).toBe(303);
  expect((await owner.get('/dashboard/sandbox')).text).not.toContain('data-testid="card-testing"');
  expect(outcome(await pay(shop, '4242424242424242'))).toBe('paid');
});

it('an owner sets the limits in the dashboard, and a developer does not', async () => {
  const { shop, merchantId } = await open({});
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const developer = await DashboardClient.by(world, await invitationLink(world, merchantId, 'developer'));
  const limits = Object.fromEntries(Object.keys(off).map((name) => [name, '0']));
  const set = (by: DashboardClient, declinesPerMerchant: string) =>
    by.post('/dashboard/sandbox/settings/declines', { ...limits, declinesPerMerchant });
  expect((await set(developer, '1')).status).toBe(403);
  expect((await set(owner, '-1')).text).toContain('Enter whole numbers');
  expect((await set(owner, '1')).status).toBe(303);
  expect(await outcomes(shop, 2)).toEqual(['failed', 'too_many_declines']);
});
