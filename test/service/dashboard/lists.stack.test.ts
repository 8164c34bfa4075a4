import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { manyDisputes, manyPayments, manyRefunds } from '../../support/many-rows.ts';
import { keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';

async function newShop(): Promise<{ merchantId: string; shop: Shop; client: DashboardClient }> {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  return { merchantId, shop, client: await DashboardClient.by(world, await ownerLink(world, merchantId)) };
}

const noticed = (html: string): string =>
  /<p class="alert notice bad" role="alert">([^<]+)</.exec(html)?.[1] ?? '';
const shownRows = (html: string): string => /data-testid="shown">([^<]*)</.exec(html)?.[1] ?? '';

/** Returns the sums above a list, by name. */
function sumsIn(html: string): Record<string, string> {
  const line = /data-testid="sums">(.*?)<\/dl>/s.exec(html)?.[1] ?? '';
  return Object.fromEntries(
    [...line.matchAll(/<dt>([^<]+)<\/dt><dd>([^<]+)<\/dd>/g)].map(([, name = '', sum = '']) => [name, sum]),
  );
}

describe.each(['refunds', 'disputes'] as const)('the list of %s', (list) => {
  let client: DashboardClient;
  const lines = async (query: string): Promise<number> =>
    (await client.get(`${home}/${list}.csv?${query}`)).text.trimEnd().split('\r\n').length - 1;

  beforeAll(async () => {
    const one = await newShop();
    client = one.client;
    const payments = await manyPayments(world.database, one.merchantId, {
      count: 3,
      ageSeconds: 60,
      final: true,
    });
    await manyRefunds(world.database, payments.slice(0, 1), 'pending');
    await manyRefunds(world.database, payments.slice(1), 'succeeded');
    const [paymentId = ''] = payments;
    await manyDisputes(world.database, one.merchantId, { paymentId, count: 3, overSeconds: 60 });
  });

  it('names an invalid day and ignores it, and its CSV is the page that names it', async () => {
    const { text } = await client.get(`${home}/${list}?from=2026-99-99&to=tomorrow`);
    expect(noticed(text)).toBe(
      `Some filters were ignored. From “2026-99-99” isn't a date such as 2030-01-31. To “tomorrow” isn't a date such as 2030-01-31.`,
    );
    expect(shownRows(text)).toBe('1-3 of 3');
    for (const query of ['from=2026-99-99', 'to=x', 'from=2030-01-02&to=2030-01-01']) {
      const led = await client.get(`${home}/${list}.csv?${query}`);
      expect([query, led.location]).toEqual([query, `${home}/${list}?${query}`]);
      expect(noticed((await client.follow(led)).text)).not.toBe('');
    }
    expect(noticed((await client.get(`${home}/${list}?from=2030-01-02&to=2030-01-01`)).text)).toBe(
      texts.payments.fromAfterTo,
    );
  });

  it('has fields for its days, which keep its status and order, and sums of those days', async () => {
    const { text } = await client.get(`${home}/${list}?from=2020-01-01&status=won&sort=oldest`);
    expect(text).toMatch(/<input id="from" type="date" name="from" value="2020-01-01"/);
    expect(text).toContain('<input type="hidden" name="sort" value="oldest"');
    const all = (await client.get(`${home}/${list}?from=2020-01-01`)).text;
    expect([shownRows(all), noticed(all), await lines('from=2020-01-01')]).toEqual(['1-3 of 3', '', 3]);
    expect(sumsIn(all)).toEqual(
      list === 'refunds'
        ? { Refunded: '$10.00', Pending: '$5.00' }
        : { Open: '$0.00', Won: '$0.00', Lost: '$15.00' },
    );
    const none = (await client.get(`${home}/${list}?to=2020-01-01`)).text;
    expect([shownRows(none), sumsIn(none), await lines('to=2020-01-01')]).toEqual(['', {}, 0]);
  });
});

describe('a row of a list', () => {
  it('has one link, and the list names its range once', async () => {
    const { merchantId, client } = await newShop();
    const [paymentId = ''] = await manyPayments(world.database, merchantId, {
      count: 1,
      ageSeconds: 60,
      final: true,
    });
    await manyDisputes(world.database, merchantId, { paymentId, count: 1, overSeconds: 60 });
    await manyRefunds(world.database, [paymentId], 'succeeded');
    for (const list of ['payments', 'refunds', 'disputes']) {
      const { text } = await client.get(`${home}/${list}`);
      const row = /<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? '';
      expect([list, row.match(/<a /g)?.length, text.split('1-1 of 1').length - 1]).toEqual([list, 1, 1]);
    }
  });
});

describe('a card', () => {
  it('has the mark of its brand, drawn once for a list, and a name that does not break over two lines', async () => {
    const { shop, client } = await newShop();
    const ids = [
      await paidPayment(shop, '378282246310005'),
      await paidPayment(shop, '378282246310005'),
      await paidPayment(shop),
    ];
    const list = (await client.get(`${home}/payments`)).text;
    const marks = [...list.matchAll(/<use href="#mark-(\w+)"><\/use><\/svg>([^<]+)</g)].map(
      ([, mark, name]) => [mark, name],
    );
    expect(marks).toEqual([
      ['visa', 'Visa\u00a0··\u00a04242'],
      ['amex', 'Amex\u00a0··\u00a00005'],
      ['amex', 'Amex\u00a0··\u00a00005'],
    ]);
    expect([...list.matchAll(/<symbol id="mark-(\w+)"/g)].map(([, mark]) => mark)).toEqual(['visa', 'amex']);
    const { text } = await client.get(`${home}/payments/${ids[0]}`);
    // In the details and beside the attempt.
    expect(text.match(/<svg class="card-mark"/g)).toHaveLength(2);
  });
});

describe('the order of disputes', () => {
  it('is by deadline again after another one, by the head of that column', async () => {
    const { merchantId, client } = await newShop();
    const [paymentId = ''] = await manyPayments(world.database, merchantId, {
      count: 1,
      ageSeconds: 60,
      final: true,
    });
    await manyDisputes(world.database, merchantId, { paymentId, count: 3, overSeconds: 60 });
    const sorted = (await client.get(`${home}/disputes?sort=oldest&status=lost`)).text;
    const orders = (html: string) => [...html.matchAll(/aria-sort="(\w+)"/g)].map(([, order]) => order);
    expect(orders(sorted)).toEqual(['none', 'none', 'ascending']);
    const link = /<a class="sort" href="([^"]+)"><span[^>]*>Due/.exec(sorted)?.[1] ?? '';
    expect(link).toBe(`${home}/disputes?status=lost`);
    expect(orders((await client.get(link)).text)).toEqual(['none', 'ascending', 'none']);
    expect(noticed((await client.get(`${home}/refunds?sort=due`)).text)).toContain('Order “due”');
  });
});

describe('the mark of new rows', () => {
  const markIn = (html: string) => {
    const given = (name: string): string =>
      new RegExp(`<p class="news"[^>]* ${name}="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return { url: given('data-news'), total: Number(given('data-total')), version: given('data-is') };
  };

  type State = Omit<ReturnType<typeof markIn>, 'url'>;

  /** Opens a list, and returns how the mark would read it from then on. */
  const watch = async (client: DashboardClient, path: string) => {
    const { url, ...shown } = markIn((await client.get(home + path)).text);
    const now = async () => JSON.parse((await client.get(url)).text) as State;
    expect([path, await now()]).toEqual([path, shown]);
    /** The number of new rows, or whether the list has changed. */
    return async (): Promise<number | 'changed' | null> => {
      const { total, version } = await now();
      return total > shown.total ? total - shown.total : version === shown.version ? null : 'changed';
    };
  };

  const refunded = (id: string | undefined): Promise<unknown> =>
    world.database.query(`UPDATE payments SET status = 'refunded' WHERE id = $1`, [id]);

  it('counts the new rows that match the filter, and no others', async () => {
    const { merchantId, shop, client } = await newShop();
    await manyPayments(world.database, merchantId, { count: 3, ageSeconds: 60, final: true });
    const today = new Date().toISOString().slice(0, 10);
    const lists = {
      all: await watch(client, '/payments'),
      sorted: await watch(client, '/payments?sort=oldest'),
      open: await watch(client, '/payments?status=open'),
      paid: await watch(client, '/payments?status=paid'),
      card: await watch(client, '/payments?method=card'),
      today: await watch(client, `/payments?from=${today}`),
      past: await watch(client, '/payments?to=2020-01-01'),
      text: await watch(client, '/payments?q=order-775'),
      digits: await watch(client, '/payments?q=4242'),
      both: await watch(client, `/payments?q=order-775&status=paid&method=card&from=${today}`),
    };
    const seen = async () => {
      const states = Object.entries(lists).map(async ([name, state]) => [name, await state()] as const);
      return Object.fromEntries((await Promise.all(states)).filter(([, state]) => state !== null));
    };
    expect(await seen()).toEqual({});
    await shop.create({ reference: 'order-1' });
    expect(await seen()).toEqual({ all: 1, sorted: 1, open: 1, today: 1 });
    await paidPayment(shop, undefined, { reference: 'order-775' });
    expect(await seen()).toEqual({
      all: 2,
      sorted: 2,
      open: 1,
      today: 2,
      paid: 1,
      card: 1,
      text: 1,
      both: 1,
    });
  });

  it('of digits that were found on cards counts cards', async () => {
    const { shop, client } = await newShop();
    await paidPayment(shop, undefined, { reference: 'order-1' });
    const cards = await watch(client, '/payments?q=4242');
    await shop.create({ reference: 'order-4242' });
    expect(await cards()).toBe(null);
    await paidPayment(shop, undefined, { reference: 'order-2' });
    expect(await cards()).toBe(1);
  });

  it('notices a row that ceases to match while another one begins to', async () => {
    const { merchantId, client } = await newShop();
    const [id] = await manyPayments(world.database, merchantId, { count: 2, ageSeconds: 60, final: true });
    const paid = await watch(client, '/payments?status=paid');
    await refunded(id);
    await manyPayments(world.database, merchantId, { count: 1, ageSeconds: 50, final: true });
    expect(await paid()).toBe('changed');
  });

  it('watches the newest rows of a long list, and reads no more than twice as many', async () => {
    const { merchantId, client } = await newShop();
    const ids = await manyPayments(world.database, merchantId, { count: 600, ageSeconds: 60, final: true });
    const [all, paid] = [await watch(client, '/payments'), await watch(client, '/payments?status=paid')];
    await refunded(ids[0]);
    expect([await all(), await paid()]).toEqual([null, null]);
    await refunded(ids.at(-500));
    expect([await all(), await paid()]).toEqual(['changed', 'changed']);
    await manyPayments(world.database, merchantId, { count: 700, ageSeconds: 50, final: true });
    expect([await all(), await paid()]).toEqual([500, 500]);
  });

  it.each(['refunds', 'disputes'] as const)('counts new %s that match the filter', async (list) => {
    const { merchantId, client } = await newShop();
    const span = { count: 2, ageSeconds: 60, final: true };
    const [first = '', second = ''] = await manyPayments(world.database, merchantId, span);
    const add = (paymentId: string) =>
      list === 'refunds'
        ? manyRefunds(world.database, [paymentId], 'succeeded')
        : manyDisputes(world.database, merchantId, { paymentId, count: 1, overSeconds: 60 });
    await add(first);
    const [status, other] = list === 'refunds' ? ['succeeded', 'pending'] : ['lost', 'won'];
    const watched = [
      await watch(client, `/${list}`),
      await watch(client, `/${list}?status=${status}&from=2020-01-01&sort=oldest`),
      await watch(client, `/${list}?status=${other}`),
      await watch(client, `/${list}?to=2020-01-01`),
    ];
    await add(second);
    expect(await Promise.all(watched.map((state) => state()))).toEqual([1, 1, null, null]);
  });

  it('is on the first page only, and ignores what its address has besides', async () => {
    const { client } = await newShop();
    expect((await client.get(`${home}/payments?page=2`)).text).not.toContain('class="news"');
    const { text } = await client.get(`${home}/payments/news?since=x&meaning=9&status=none&q=abc`);
    expect(JSON.parse(text)).toEqual({ total: 0, version: '0' });
  });
});

describe('the reports', () => {
  it('have links to this month and the last one, and all their downloads in one place', async () => {
    const { client } = await newShop();
    const { text } = await client.get(`${home}/reports?by=month`);
    const links = [
      ...text.matchAll(/<a class="list-tab" href="([^"]+)"( aria-current="page")?>([^<]+)/g),
    ].map(
      ([, href = '', current, name]) => [name, current !== undefined, href.replaceAll('&amp;', '&')] as const,
    );
    expect(links.map(([name, current]) => [name, current])).toEqual([
      ['This month', true],
      ['Last month', false],
      ['This year', false],
    ]);
    const [from, to] = [
      new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1)),
      new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 0)),
    ].map((at) => at.toISOString().slice(0, 10));
    expect(links[1]?.[2]).toBe(`${home}/reports?by=month&from=${from}&to=${to}`);
    const downloads = /<h2>Downloads<\/h2>(.*?)<\/section>/s.exec(text)?.[1] ?? '';
    expect(downloads.match(/<a [^>]*download[^>]*>/g)).toHaveLength(5);
    expect(downloads.match(/<a /g)).toHaveLength(5);
    expect(text.match(/ download/g)).toHaveLength(5);
  });

  it('lead to the same days by day, month and method with one click, and mark the current choice', async () => {
    const { client } = await newShop();
    const linksOf = async (query: string) => {
      const { text } = await client.get(`${home}/reports${query}`);
      const nav = /<nav class="actions" aria-label="Rows of the report">(.*?)<\/nav>/s.exec(text)?.[1] ?? '';
      const kept = /name="by" value="([^"]*)"/.exec(text)?.[1];
      const links = [...nav.matchAll(/<a href="([^"]+)"( aria-current="true")?>([^<]+)</g)].map(
        ([, href = '', current, name]) =>
          [name, current !== undefined, href.replaceAll('&amp;', '&')] as const,
      );
      return { links, kept };
    };
    const days = 'from=2026-03-01&to=2026-03-31';
    const { links, kept } = await linksOf(`?${days}&by=month`);
    expect(links).toEqual([
      ['By day', false, `${home}/reports?${days}&by=day#movements`],
      ['By month', true, `${home}/reports?${days}&by=month#movements`],
      ['By method', false, `${home}/reports?${days}&by=method#movements`],
    ]);
    expect(kept).toBe('month');
    // The other days of the form keep the choice, and no choice is by day.
    expect((await linksOf('')).links.map(([, isCurrent]) => isCurrent)).toEqual([true, false, false]);
    const { text } = await client.get(`${home}/reports?${days}&by=method`);
    expect(text).toContain('<section class="card" id="movements">');
  });
});

describe('the net', () => {
  it('is what is left after refunds and disputes: the same on Home, Payments and Reports', async () => {
    const { shop, client } = await newShop();
    const [, disputed] = [
      await paidPayment(shop),
      await paidPayment(shop, undefined, { amountCents: 1_000 }),
    ];
    await keyed(shop, `/v1/sandbox/payments/${disputed}/disputes`, { reason: 'fraudulent' });
    const numbers = (html: string): Record<string, string> =>
      Object.fromEntries(
        [...html.matchAll(/<div class="number"[^>]*><span>([^<]+)<\/span><strong>([^<]+)</g)].map(
          ([, name = '', value = '']) => [name, value],
        ),
      );
    const shown = await eventually(async () => {
      const found = numbers((await client.get(`${home}?range=today`)).text);
      return found['Disputed'] === '$10.00' ? found : undefined;
    });
    expect(shown).toMatchObject({ Volume: '$35.00', Refunds: '$0.00', Disputed: '$10.00', Net: '$25.00' });
    expect(numbers((await client.get(`${home}/reports`)).text)).toMatchObject({
      Taken: '$35.00',
      Disputed: '$10.00',
      Net: '$25.00',
    });
    expect(sumsIn((await client.get(`${home}/payments`)).text)).toEqual({
      Taken: '$35.00',
      Refunded: '$0.00',
      Disputed: '$10.00',
      Net: '$25.00',
    });
  });
});

describe('a tab of the payments', () => {
  it('adds up its own payments only, and a failed one has its reason in its row', async () => {
    const { shop, client } = await newShop();
    await paidPayment(shop);
    await paidPayment(shop, '4000000000009987', { amountCents: 4_000 });
    const tab = async (status: string): Promise<string> =>
      (await client.get(`${home}/payments?status=${status}`)).text;
    const nothing = { Taken: '$0.00', Refunded: '$0.00', Disputed: '$0.00', Net: '$0.00' };
    expect(sumsIn(await tab('paid'))).toEqual({ ...nothing, Taken: '$25.00', Net: '$25.00' });
    const failed = await tab('failed');
    expect(sumsIn(failed)).toEqual(nothing);
    expect(failed).toContain('<small class="quiet-text">Lost card</small>');
    // The tabs still count the payments of all statuses.
    expect(
      [...failed.matchAll(/<span class="badge text-muted-foreground"[^>]*>(\d+)</g)].map(([, rows]) => rows),
    ).toEqual(['2', '1', '0', '1', '0', '0']);
  });
});
