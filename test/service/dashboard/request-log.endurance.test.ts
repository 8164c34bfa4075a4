import { randomUUID } from 'node:crypto';
import {
  listRequests,
  maxScanned,
  requestStatement,
  type RequestFilter,
} from '../../../src/db/server/api-requests.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { clearLeftovers } from '../../../src/db/server/leftovers.ts';
import { openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import { jsonData } from '../../support/answers.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { manyRequests } from '../../support/many-rows.ts';
import { dataOf, idOf, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
});
afterAll(() => world.close());

const log = '/dashboard/sandbox/developers/requests';

interface Row {
  id: string;
  method: string;
  route: string;
  status: number;
  error_code: string | null;
  payment_id: string | null;
  environment: string;
}

/** Returns the merchant's requests from the table, oldest first, once there are `count`. */
const rowsOf = (merchantId: string, count: number): Promise<Row[]> =>
  eventually(async () => {
    const { rows } = await world.database.query<Row>(
      'SELECT * FROM api_requests WHERE merchant_id = $1 ORDER BY id',
      [merchantId],
    );
    return rows.length >= count ? rows : undefined;
  });

const shown = (text: string): string[] =>
  [...text.matchAll(/data-testid="request-row".*?<small class="quiet-text">([0-9a-f-]{36})<\/small>/gs)].map(
    (found) => found[1] ?? '',
  );

async function newShop(): Promise<{ merchantId: string; shop: Shop; client: DashboardClient }> {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  return { merchantId, shop, client };
}

it('has a line for every call of a key: its Request-Id, template, status and payment, and no byte of its content', async () => {
  const { merchantId, shop } = await newShop();
  const secret = `canary-${randomUUID()}`;
  const created = await shop.create({ reference: secret, customer: { email: `${secret}@shop.example` } });
  const payment = idOf(created);
  const calls = [
    created,
    await shop.call('GET', `/v1/payments/${payment}?x=${secret}`),
    await shop.call('GET', `/v1/payments/${payment.toUpperCase()}/status`),
    await shop.call('POST', `/v1/payments/${payment}/pay`, { token: secret }),
    await shop.call('GET', `/v1/payments/${secret}`),
    await shop.call('GET', `/v1/${secret}/${secret}`),
    await shop.call('POST', '/v1/payments', `{"${secret}"`),
    await shop.call('GET', `/v1/payments?reference=${secret}&page=0`),
  ];
  const rows = await rowsOf(merchantId, calls.length);
  expect(rows.map(({ id }) => id)).toEqual(calls.map(({ headers }) => headers.get('request-id')));
  expect(rows.map((row) => [row.method, row.route, row.status, row.error_code, row.payment_id])).toEqual([
    ['POST', '/v1/payments', 201, null, payment],
    ['GET', '/v1/payments/:id', calls[1]?.status, calls[1]?.body.error?.code ?? null, payment],
    ['GET', '/v1/payments/:id/status', calls[2]?.status, calls[2]?.body.error?.code ?? null, payment],
    ['POST', '/v1/payments/:id/pay', calls[3]?.status, calls[3]?.body.error?.code, payment],
    ['GET', '/v1/payments/:id', 400, 'invalid_request', null],
    ['GET', '', 404, 'not_found', null],
    ['POST', '/v1/payments', 400, 'invalid_request', null],
    ['GET', '/v1/payments', 400, 'invalid_query', null],
  ]);
  const everything = JSON.stringify(rows).toLowerCase();
  for (const word of [secret, shop.key, shop.key.split('_')[3] ?? shop.key]) {
    expect(everything).not.toContain(word.toLowerCase());
  }
});

it('takes the payment of a refund from the answer, and logs no call with a wrong key', async () => {
  const { merchantId, shop } = await newShop();
  const payment = await paidPayment(shop);
  const made = dataOf(await refund(shop, payment, { amountCents: 500 }));
  await shop.call('POST', `/v1/refunds/${String(made['id'])}/cancel`);
  const stranger = await new Shop(world.baseUrl, `${shop.key.slice(0, -4)}AAAA`).call('GET', '/v1/payments');
  expect(stranger.status).toBe(401);
  await shop.call('GET', '/v1/payments');
  const rows = await eventually(async () => {
    const found = await rowsOf(merchantId, 1);
    return found.at(-1)?.route === '/v1/payments' ? found : undefined;
  });
  expect(rows.find(({ route }) => route === '/v1/refunds/:id/cancel')).toMatchObject({
    payment_id: payment,
    status: 200,
  });
  expect(rows.map(({ status }) => status)).not.toContain(401);
  expect(rows.map(({ id }) => id)).not.toContain(stranger.headers.get('request-id'));
});

it('records that a caller hung up before the answer', async () => {
  const { merchantId, shop } = await newShop();
  const id = await shop.customPayment();
  const before = (await rowsOf(merchantId, 1)).length;
  const hangingUp = new AbortController();
  const call = fetch(`${world.baseUrl}/v1/payments/${id}/status?waitSeconds=25`, {
    headers: { authorization: `Bearer ${shop.key}` },
    signal: hangingUp.signal,
  });
  // The request has arrived once a later call on another connection was answered.
  await shop.call('GET', `/v1/payments/${id}`);
  hangingUp.abort();
  await expect(call).rejects.toThrow('aborted');
  const rows = await rowsOf(merchantId, before + 2);
  expect(rows.find(({ route }) => route === '/v1/payments/:id/status')).toMatchObject({
    status: 499,
    payment_id: id,
  });
});

describe('the page of the request log', () => {
  it('filters by status, path, request and payment, and pages by the address', async () => {
    const { merchantId, shop, client } = await newShop();
    const payment = idOf(await shop.create());
    for (let count = 0; count < 30; count += 1) await shop.call('GET', '/v1/events');
    const refused = await shop.call('GET', `/v1/payments/${randomUUID()}`);
    const rows = await rowsOf(merchantId, 32);
    const newest = rows.map(({ id }) => id).toReversed();

    const first = await client.get(log);
    expect(shown(first.text)).toEqual(newest.slice(0, 25));
    const older = /href="([^"]+)"[^>]*>Older/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(shown((await client.get(older)).text)).toEqual(newest.slice(25));

    const find = async (query: Record<string, string>): Promise<string[]> =>
      shown((await client.get(`${log}?${new URLSearchParams(query).toString()}`)).text);
    const created = rows[0]?.id ?? '';
    const refusedId = refused.headers.get('request-id') ?? '';
    expect(await find({ answered: '4' })).toEqual([refusedId]);
    expect(await find({ answered: '5' })).toEqual([]);
    expect(await find({ id: refusedId.toUpperCase() })).toEqual([refusedId]);
    expect(await find({ payment })).toEqual([created]);
    expect(await find({ path: `https://api.shop.example/v1/payments/${payment}?x=1` })).toEqual([refusedId]);
    expect(await find({ path: '/v1/payments' })).toEqual([refusedId, created]);
    expect(await find({ path: '/v1/payments', answered: '2' })).toEqual([created]);
    expect(await find({ path: '%' })).toEqual([]);
  });

  it('explains malformed ids, and no address breaks it', async () => {
    const { client } = await newShop();
    const wrong = await client.get(`${log}?id=1`);
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain(texts.requests.invalidRequestId);
    for (const query of [
      `path=${'x'.repeat(10_000)}`,
      'path=%00',
      'before=1&answered=9',
      `before=${randomUUID()}`,
      'path=%27%20OR%201=1',
      'path=%E0%A4%A',
    ]) {
      expect((await client.get(`${log}?${query}`)).status).toBe(200);
    }
    expect((await client.get(log)).text).toContain(texts.requests.empty);
  });

  it('shows one environment only', async () => {
    const { merchantId, shop, client } = await newShop();
    await shop.create();
    const [row] = await rowsOf(merchantId, 1);
    expect(shown((await client.get(log)).text)).toEqual([row?.id]);
    const live = log.replace('sandbox', 'live');
    expect(shown((await client.get(live)).text)).toEqual([]);
    expect(shown((await client.get(`${live}?id=${row?.id ?? ''}`)).text)).toEqual([]);
  });

  it("is on the payment's page, whose timeline shows the calls, and does not change by reads", async () => {
    const { merchantId, shop, client } = await newShop();
    const payment = await paidPayment(shop);
    const before = (await rowsOf(merchantId, 2)).length;
    const path = `/dashboard/sandbox/payments/${payment}`;
    const versionOf = async (): Promise<string> => (await client.get(`${path}/version`)).text;
    const version = await versionOf();
    await shop.call('GET', `/v1/payments/${payment}`);
    const rows = await rowsOf(merchantId, before + 1);
    expect(await versionOf()).toBe(version);
    const { text } = await client.get(path);
    expect(shown(text)).toEqual(
      rows
        .filter(({ payment_id: of }) => of === payment)
        .map(({ id }) => id)
        .toReversed(),
    );
    const timeline = (await client.get(`${path}?timeline=calls`)).text;
    expect(timeline).toContain('POST /v1/payments answered 201');
    expect(timeline).not.toContain('GET /v1/payments/:id answered');
  });
});

it('is in the timeline of the API only on request', async () => {
  const { merchantId, shop } = await newShop();
  const payment = await paidPayment(shop);
  await eventually(async () => {
    const rows = await rowsOf(merchantId, 2);
    return rows.some(({ route }) => route.endsWith('/pay')) ? true : undefined;
  });
  const kinds = async (query: string): Promise<string[]> => {
    const { body } = await shop.call('GET', `/v1/payments/${payment}/timeline${query}`);
    const { entries } = jsonData({ body }) as { entries: { at: string; kind: string }[] };
    const instants = entries.map(({ at }) => at);
    expect(instants).toEqual(instants.toSorted());
    return entries.map(({ kind }) => kind);
  };
  expect(await kinds('')).not.toContain('request.answered');
  expect(await kinds('?requests=false')).not.toContain('request.answered');
  const withRequests = await kinds('?requests=true');
  expect(withRequests.filter((kind) => kind === 'request.answered')).toHaveLength(3);
  expect(withRequests[0]).toBe('payment.created');
  expect((await shop.call('GET', `/v1/payments/${payment}/timeline?requests=yes`)).status).toBe(400);
});

describe('among 100,000 requests', () => {
  const rows = 100_000;
  let merchantId: string;
  beforeAll(async () => {
    merchantId = await world.merchant();
    await manyRequests(world.database, merchantId, rows);
    await world.database.query('VACUUM ANALYZE api_requests');
  });

  it('a page reads few of them for any filter, and a search without results continues where it ended', async () => {
    const tenants = openTenantReads({
      url: world.settings.DATABASE_URL,
      poolSize: 1,
      applicationName: 'test',
    });
    const tenant = { merchantId, environment: 'sandbox' as const };
    const some = await world.database.query<{ id: string; payment_id: string }>(
      'SELECT id, payment_id FROM api_requests WHERE merchant_id = $1 ORDER BY id LIMIT 1',
      [merchantId],
    );
    const { id = '', payment_id: paymentId = '' } = some.rows[0] ?? {};
    const cases: [RequestFilter, number, number][] = [
      [{}, 25, 200],
      [{ id }, 1, 200],
      [{ paymentId }, 1, 200],
      [{ statusClass: 4 }, 25, 200],
      [{ statusClass: 2 }, 25, 200],
      // Reads all pages of refused requests: a thousand here, more than one read may return.
      [{ statusClass: 5 }, 0, 1_500],
      [{ route: '/nowhere' }, 0, 3_000],
    ];
    try {
      for (const [filter, found, maxBlocks] of cases) {
        await tenants.read(tenant, async (database) => {
          const { text, values } = requestStatement(tenant, filter, null, 26);
          const plans = await database.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>({
            text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
            values,
          });
          const plan = plans.rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
          const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
          const { requests } = await listRequests(database, tenant, filter, null, 25);
          expect({ filter, found: requests.length, few: blocks < maxBlocks }).toEqual({
            filter,
            found,
            few: true,
          });
        });
      }
      let before: string | null = null;
      let reads = 0;
      do {
        const from: string | null = before;
        const read: Awaited<ReturnType<typeof listRequests>> = await tenants.read(tenant, (database) =>
          listRequests(database, tenant, { route: '/nowhere' }, from, 25),
        );
        expect(read.requests).toEqual([]);
        before = read.next;
        reads += 1;
      } while (before !== null);
      expect(reads).toBe(rows / maxScanned + 1);
    } finally {
      await tenants.end();
    }
  });

  it('those older than seven days are deleted, oldest first, and no others', async () => {
    const count = async (where: string): Promise<number> => {
      const found = await world.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM api_requests WHERE merchant_id = $1 AND ${where}`,
        [merchantId],
      );
      return found.rows[0]?.count ?? 0;
    };
    const dayMs = 86_400_000;
    // The newest request is a second old. Seven and a half days later, half a day of the newest requests are
    // left. Rows outside the partitions of days are kept a day longer than the setting.
    const now = new Date(Date.now() + 7.5 * dayMs);
    const cutoff = new Date(now.getTime() - 8 * dayMs).toISOString();
    const kept = await count(`at >= '${cutoff}'`);
    expect(kept).toBeGreaterThan(40_000);
    expect(await clearLeftovers(world.database, 'requests', now, 1_000)).toBe(1_000);
    const limit = 30_000;
    while ((await clearLeftovers(world.database, 'requests', now, limit)) === limit);
    expect(await count('true')).toBe(kept);
    expect(await count(`at < '${cutoff}'`)).toBe(0);
  });
});
