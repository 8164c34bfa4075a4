import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { latePayments } from '../../../src/db/merchants/dashboard-home.ts';
import { recordUnexpectedCapture } from '../../../src/db/payments/unexpected-captures.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { endpointOfMany, manyDeliveries, manyPayments } from '../../support/many-rows.ts';
import { ownConnector } from '../../support/own-connector.ts';
import { proves } from '../../support/proves.ts';
import { idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
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
  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  return { merchantId, shop, client };
}

const count = async (sql: string, merchantId: string): Promise<number> =>
  (await world.database.query(sql, [merchantId])).rows.length;
const shownBy = (text: string, testId: string): string =>
  new RegExp(`data-testid="${testId}">([^<]+)<`).exec(text)?.[1] ?? '';

/** Runs `admin alert`; returns its output. */
async function alert(...args: string[]): Promise<unknown> {
  const command = ['--no-warnings', 'dist/src/cli/admin.js', 'alert', ...args, '--json'];
  const options = { cwd: projectRoot, env: { ...process.env, ...world.environment } };
  return JSON.parse((await promisify(execFile)(process.execPath, command, options)).stdout);
}

describe('a secret that a form creates', () => {
  it(
    proves('a key is created under Developers, works, and is shown once, also after reloads', 'AUTH-03'),
    async () => {
      const { client } = await newShop();
      const merchantId = await world.merchant();
      const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
      const answer = await owner.post(`${home}/developers/keys`, { name: 'Backend' });
      expect([answer.status, answer.location]).toEqual([303, `${home}/developers`]);
      expect(answer.text).not.toContain('cps_');
      // The cookie that carries the secret is encrypted, and useless to other members.
      const carried = owner.cookies.get('__Host-dashboard-once') ?? '';
      expect(carried).not.toBe('');
      client.cookies.set('__Host-dashboard-once', carried);
      expect((await client.get(`${home}/developers`)).text).not.toContain('data-testid="api-key"');

      const page = await owner.follow(answer);
      const key = shownBy(page.text, 'api-key');
      expect((await new Shop(world.baseUrl, key).call('GET', '/v1/payments')).status).toBe(200);
      for (const again of [await owner.follow(answer), await owner.get(`${home}/developers`)]) {
        expect(again.text).not.toContain('data-testid="api-key"');
        expect(again.text).not.toContain(key);
      }
      expect(await count('SELECT FROM api_keys WHERE merchant_id = $1', merchantId)).toBe(1);
      expect(world.logs.join('\n')).not.toContain(key);
    },
  );

  it(
    proves(
      'an endpoint is added under Webhooks in one environment, and its secrets are shown once',
      'HOOK-05',
      'AMB-49',
    ),
    async () => {
      const { merchantId, client } = await newShop();
      const url = 'https://shop.example/hooks';
      const added = await client.post(`${home}/webhooks`, { url, events: '' });
      const first = shownBy((await client.follow(added)).text, 'endpoint-secret');
      expect(first).toMatch(/^whsec_/);
      expect((await client.follow(added)).text).not.toContain(first);
      const { rows } = await world.database.query<{ id: string; environment: string }>(
        'SELECT id, environment FROM webhook_endpoints WHERE merchant_id = $1',
        [merchantId],
      );
      expect(rows).toEqual([{ id: expect.any(String), environment: 'sandbox' }]);
      const page = `${home}/webhooks/${rows[0]?.id}`;
      const rotated = await client.post(`${page}/rotate`);
      expect(rotated.location).toBe(page);
      const second = shownBy((await client.follow(rotated)).text, 'endpoint-secret');
      expect(second).toMatch(/^whsec_/);
      expect(second).not.toBe(first);
      expect((await client.get(page)).text).not.toContain('whsec_');
    },
  );

  it('is not shown by another page, and a forged cookie shows nothing', async () => {
    const { client } = await newShop();
    await client.post(`${home}/developers/keys`, { name: 'Backend' });
    const kept = client.cookies.get('__Host-dashboard-once') ?? '';
    expect((await client.get(`${home}/team`)).text).not.toContain('cps_');
    client.cookies.set('__Host-dashboard-once', kept.slice(0, -4) + 'AAAA');
    expect((await client.get(`${home}/developers`)).text).not.toContain('data-testid="api-key"');
  });
});

describe('an endpoint', () => {
  it('is deleted permanently, and the audit log records it', async () => {
    const { merchantId, client } = await newShop();
    await client.follow(
      await client.post(`${home}/webhooks`, { url: 'https://shop.example/hooks', events: '' }),
    );
    const { rows } = await world.database.query<{ id: string }>(
      'SELECT id FROM webhook_endpoints WHERE merchant_id = $1',
      [merchantId],
    );
    const page = `${home}/webhooks/${rows[0]?.id}`;
    const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    expect((await support.post(`${page}/delete`)).status).toBe(403);
    expect((await client.get(page)).status).toBe(200);
    const gone = await client.post(`${page}/delete`);
    expect(gone.location).toBe(`${home}/webhooks?done=endpointDeleted`);
    expect((await client.follow(gone)).text).toContain(texts.common.notices.endpointDeleted);
    expect((await client.get(page)).status).toBe(404);
    expect((await client.post(`${page}/delete`)).status).toBe(404);
    expect((await client.get(`${home}/team`)).text).toContain('Webhook endpoint deleted');
  });
});

describe('the CSV of a search', () => {
  it('by a payment’s id has only that payment, and for no result only the header', async () => {
    const { shop, client } = await newShop();
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) ids.push(idOf(await shop.create({ reference: 'same' })));
    const lines = async (query: string): Promise<string[]> =>
      (await client.get(`${home}/payments.csv?${query}`)).text.trimEnd().split('\r\n');
    const [header = '', ...rows] = await lines(`q=${ids[1]?.toUpperCase()}`);
    expect(header).toMatch(/^id,/);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain(ids[1]);
    expect(await lines('q=same')).toHaveLength(4);
    expect(await lines(`q=${randomUUID()}`)).toEqual([header]);
    expect(await lines(`q=${ids[1]}&status=refunded`)).toEqual([header]);
  });

  it('by an invalid address redirects to the page, which explains it', async () => {
    const { client } = await newShop();
    for (const query of ['status=nonsense', 'from=yesterday', 'from=2026-03-02&to=2026-03-01']) {
      const led = await client.get(`${home}/payments.csv?${query}`);
      expect(led.location).toBe(`${home}/payments?${query}`);
      expect((await client.follow(led)).text).toContain('class="alert notice bad"');
    }
  });
});

describe('what needs attention on the home page', () => {
  it('includes late successes by their mark, not by comparing instants', async () => {
    const { merchantId, shop } = await newShop();
    const [late, early, moved, open] = [
      idOf(await shop.create()),
      idOf(await shop.create()),
      idOf(await shop.create()),
      idOf(await shop.create()),
    ];
    const set = (id: string, change: string) =>
      world.database.query(`UPDATE payments SET ${change} WHERE id = $1`, [id]);
    // Closed for another reason than its deadline, and later found to be paid.
    await set(
      late,
      `status = 'paid', paid_at = now(), checkout_status = 'expired', terminal_reason = 'attempts_exhausted'`,
    );
    await set(early, `status = 'paid', paid_at = now(), checkout_status = 'paid'`);
    // Captured in time, recorded a moment later.
    await set(moved, `status = 'paid', paid_at = expires_at + interval '1 s', checkout_status = 'paid'`);
    const tenant = { merchantId, environment: 'sandbox' as const };
    const found = await latePayments(world.database, tenant, new Date(Date.now() - 60_000));
    expect(found.map(({ id }) => id)).toEqual([late]);
    expect(found.map(({ id }) => id)).not.toContain(open);
  });

  it('includes money that the network took and no paid attempt has, until the operator clears its alert', async () => {
    const { shop, client } = await newShop();
    const reference = 'order-unexpected';
    const id = await shop.customPayment({ reference });
    await shop.pay(id, await shop.captureCard(id, '4000000000009987'));
    const { rows } = await world.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const capture = { attemptNo: 1, amountCents: 2500, currency: 'USD', providerReference: 'ch_1' };
    const found = { ...capture, capturedAt: rows[0]?.now ?? null };
    await Promise.all([1, 2, 3].map(() => recordUnexpectedCapture(world.database, id, found)));
    const page = `${home}/payments/${id}`;
    const listed = (await client.get(home)).text;
    expect(listed).toContain('has an unexpected capture of $25.00');
    expect(listed).toContain(`href="${page}"`);
    const shown = (await client.get(page)).text;
    expect(shown).toContain('data-testid="unexpected-capture"');
    expect(shown).toContain('Unexpected capture: the network took $25.00 under attempt 1');
    const other = await newShop();
    expect((await other.client.get(home)).text).not.toContain('unexpected capture');
    const cleared = await alert('clear', '--sweep', 'unexpected captures', '--subject', id);
    expect(cleared).toMatchObject({ cleared: true });
    expect((await client.get(home)).text).not.toContain('unexpected capture');
    expect((await client.get(page)).text).toContain('data-testid="unexpected-capture"');
  });
});

describe('the sandbox controls of a payment', () => {
  const control = (client: DashboardClient, id: string, name: string) =>
    client.post(`${home}/payments/${id}/sandbox`, { control: name });

  it.each([
    ['paid', 'paid', 'Paid with'],
    ['failed', 'failed', 'Payment failed'],
    ['requiresAction', 'requiresAction', 'The customer was asked to confirm'],
    ['processing', 'pending', 'The customer tried to pay with'],
  ])('"%s" makes an open payment %s, which its timeline shows', async (name, status, title) => {
    const { shop, client } = await newShop();
    const id = await shop.customPayment();
    const path = `${home}/payments/${id}`;
    const before = await client.get(path);
    expect(before.text).toContain('data-testid="why-pending"');
    const done = await control(client, id, name);
    expect(done.location).toBe(`${path}?done=sandboxDone`);
    await eventually(async () => ((await shop.read(id))['status'] === status ? true : undefined));
    expect((await client.get(path)).text).toContain(title);
  });

  it('dispute a paid payment, close an open one by an hour, and explain what does not apply', async () => {
    const { merchantId, shop, client } = await newShop();
    const paid = await paidPayment(shop);
    expect((await control(client, paid, 'dispute')).status).toBe(303);
    await eventually(async () => ((await shop.read(paid))['status'] === 'disputed' ? true : undefined));
    expect((await client.get(`${home}/payments/${paid}`)).text).toContain('The customer disputed $25.00');

    const open = await shop.customPayment();
    expect((await control(client, open, 'hour')).status).toBe(303);
    await eventually(async () =>
      (await client.get(`${home}/payments/${open}`)).text.includes('The checkout expired') ? true : undefined,
    );
    const refused = await control(client, open, 'paid');
    expect(refused.status).toBe(410);
    expect(refused.text).toContain('role="alert"');
    expect((await control(client, open, 'nonsense')).status).toBe(422);
    expect((await control(client, open, 'dispute')).status).toBe(409);

    const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    expect((await control(support, paid, 'dispute')).status).toBe(403);
    const page = (await support.get(`${home}/payments/${paid}`)).text;
    for (const label of Object.values(texts.payments.simulations)) expect(page).not.toContain(label);
  });
});

describe('the payment provider under Settings', () => {
  it('is the simulators where the merchant has no provider', async () => {
    const { merchantId, client } = await newShop();
    const { text } = await client.get(`${home}/settings`);
    expect(text).toContain(texts.settings.simulated);
    expect(text).toContain(`admin connector set --merchant ${merchantId} --environment sandbox`);
  });

  it('is shown without secrets to its own merchant and environment only; a check names what is wrong', async () => {
    const { merchantId, client } = await newShop();
    const secret = `canary-${randomUUID()}`;
    const account = await ownConnector(world, merchantId, 'sandbox', secret);
    const page = await client.get(`${home}/settings`);
    expect(page.text).toContain(account);
    expect(page.text).toContain('$0.50 to $999,999.99');
    const checked = await client.post(`${home}/settings/connector/check`);
    expect(checked.status).toBe(409);
    expect(checked.text).toContain('Stripe did not answer');
    for (const { text } of [page, checked]) expect(text).not.toContain(secret);
    expect(world.logs.join('\n')).not.toContain(secret);

    expect((await client.get('/dashboard/live/settings')).text).not.toContain(account);
    const other = await newShop();
    expect((await other.client.get(`${home}/settings`)).text).not.toContain(account);
    const reader = await DashboardClient.by(world, await invitationLink(world, merchantId, 'readOnly'));
    const read = (await reader.get(`${home}/settings`)).text;
    expect(read).toContain(account);
    expect(read).not.toContain(`${home}/settings/`);
    expect((await reader.post(`${home}/settings/connector/check`)).status).toBe(403);
  });

  it('offers no method that customers could not pay with, and keeps what was chosen of it before', async () => {
    const { merchantId, client } = await newShop();
    const offered = (text: string): string[] =>
      [...text.matchAll(/type="checkbox" class="input" name="methods" value="(\w+)"/g)].map(
        ([, method = '']) => method,
      );
    const pages = async () => [
      offered((await client.get(`${home}/settings`)).text),
      offered((await client.get(`${home}/payment-links`)).text),
    ];
    expect(await pages()).toEqual(Array(2).fill(['card', 'wallet', 'pix']));
    await ownConnector(world, merchantId, 'sandbox', 'unknown');
    expect(await pages()).toEqual(Array(2).fill(['card']));
    const { text } = await client.get(`${home}/settings`);
    expect(text).toContain('<dt>Methods</dt><dd>Card</dd>');
    expect(text).toContain(texts.settings.noWallets);
    expect((await client.post(`${home}/settings/methods`, { methods: 'wallet' })).status).toBe(422);
    // The values that a browser sends: hidden ones and checked ones.
    const hidden = [...text.matchAll(/type="hidden" name="methods" value="(\w+)"/g)].map(([, of = '']) => of);
    expect(hidden).toEqual(['wallet', 'pix']);
  });
});

describe('the contents of a rejected form', () => {
  it('stay in the form for evidence, and submitting it requires a confirmation', async () => {
    const { shop, client } = await newShop();
    const payment = await paidPayment(shop, undefined, { reference: 'order-77' });
    const id = idOf(await keyed(shop, `/v1/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' }));
    const page = `${home}/disputes/${id}`;
    // Each list shows it by its reference, and who must act.
    for (const path of ['', '/disputes', `/disputes/${id}`, '/developers']) {
      expect((await client.get(home + path)).text).toContain('order-77');
    }
    const shown = (await client.get(`${home}/payments/${payment}`)).text;
    expect(shown).toContain(texts.payments.waitingForYou);
    expect(shown).toContain(`<a href="${page}">${texts.payments.respond}</a>`);
    const refused = await client.post(`${page}/evidence`, {
      'evidence.productDescription': 'Two bags of coffee',
      'evidence.uncategorizedText': 'Paid with 4242424242424242',
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('>Two bags of coffee</textarea>');
    // It was switched off in the form, and the refusal does not switch it on again.
    expect(refused.text).not.toMatch(/name="autoSubmit"[^>]*checked/);
    await client.post(`${page}/evidence`, { 'evidence.productDescription': 'Two bags of coffee' });
    const kept = await client.get(page);
    expect(kept.text).toContain(`${page}?answer=submit`);
    expect(kept.text).not.toContain(`action="${page}/submit"`);
    const asked = await client.get(`${page}?answer=submit`);
    expect(asked.text).toContain(`action="${page}/submit"`);
    expect(asked.text).not.toContain(`action="${page}/accept"`);
    expect((await client.get(`${page}?answer=accept`)).text).toContain(`action="${page}/accept"`);
  });

  it('stay in the form for settings', async () => {
    const { client } = await newShop();
    const branding = await client.post(`${home}/branding`, {
      displayName: 'Corner Roasters',
      accent: 'purple-ish',
    });
    expect(branding.status).toBe(422);
    expect(branding.text).toContain('value="Corner Roasters"');
    expect(branding.text).toContain('value="purple-ish"');
    const origins = await client.post(`${home}/settings/origins`, {
      origins: 'https://shop.example\nshop example',
    });
    expect(origins.status).toBe(422);
    expect(origins.text).toContain('>https://shop.example\nshop example</textarea>');
    // Only the form of this setting is open.
    const open = [...origins.text.matchAll(/<details class="setting" open[^>]*>.*?setting-name">([^<]+)</gs)];
    expect(open.map(([, name]) => name)).toEqual([texts.settings.embedding]);
  });
});

describe('the success rate', () => {
  it('counts decided payments only: an open payment has not failed', async () => {
    const { shop, client } = await newShop();
    await paidPayment(shop);
    await shop.create({});
    expect((await client.get(home)).text).toMatch(/Success rate<\/span><strong>100%/);
    const failed = await shop.create({});
    await keyed(shop, `/v1/sandbox/payments/${String(failed.body.data?.['id'])}/outcome`, {
      outcome: 'failed',
    });
    expect((await client.get(home)).text).toMatch(/Success rate<\/span><strong>50%/);
  });
});

describe('the figures of a range', () => {
  /** Returns the figures that Home shows, by name: value and value before. */
  const figuresOf = (html: string): Record<string, [string, string]> =>
    Object.fromEntries(
      [...html.matchAll(/<span>([^<]+)<\/span><strong>([^<]+)<\/strong><small>([^<]+) before<\/small>/g)].map(
        ([, name = '', value = '', before = '']) => [name, [value, before]],
      ),
    );

  it('are compared with the same span before, by what moved in each', async () => {
    const { shop, client } = await newShop();
    const [first, second] = [await paidPayment(shop), await paidPayment(shop)];
    await keyed(shop, `/v1/sandbox/payments/${second}/disputes`, { reason: 'fraudulent' });
    const move = async (id: string, days: number) => {
      const connection = await world.database.connect();
      try {
        await connection.query(`BEGIN; SET LOCAL session_replication_role = 'replica'`);
        await connection.query(
          `UPDATE payments SET created_at = created_at - make_interval(days => $2),
             paid_at = paid_at - make_interval(days => $2) WHERE id = $1`,
          [id, days],
        );
        await connection.query(
          `UPDATE movements SET booked_at = booked_at - make_interval(days => $2), booked_on = booked_on - $2::int
           WHERE payment_id = $1`,
          [id, days],
        );
        await connection.query('COMMIT');
      } finally {
        connection.release();
      }
    };
    await move(first, 10);
    const of = async (range: string) => figuresOf((await client.get(`${home}?range=${range}`)).text);
    await eventually(async () => ((await of('7'))['Net']?.[0] === '$0.00' ? true : undefined));
    expect(await of('7')).toMatchObject({
      Volume: ['$25.00', '$25.00'],
      Refunds: ['$0.00', '$0.00'],
      Net: ['$0.00', '$25.00'],
      'Paid payments': ['1', '1'],
    });
    const compared = (await client.get(`${home}?range=7`)).text;
    const changes = [...compared.matchAll(/<span>([^<]+)<\/span>(?:(?!<span>).)*class="change">([^<]+)</gs)];
    expect(changes.map(([, name, change]) => [name, change])).toEqual([
      ['Volume', '0%'],
      ['Net', '-100%'],
      ['Paid payments', '0%'],
      ['Success rate', '0 points'],
    ]);
    expect(await of('30')).toMatchObject({ Volume: ['$50.00', '$0.00'] });
    expect(await of('today')).toMatchObject({ Volume: ['$25.00', '$0.00'] });
    const { text } = await client.get(`${home}?range=week`);
    expect(text).toContain("Some filters were ignored. Range “week” doesn't exist.");
    expect(figuresOf(text)).toEqual(await of('30'));
  });

  it('count an evening in the merchant’s zone as its day', async () => {
    const { shop, client } = await newShop();
    const zone = new Date().getUTCHours() >= 12 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';
    await client.post(`${home}/settings/time-zone`, { timeZone: zone });
    await paidPayment(shop);
    const { text } = await client.get(`${home}?range=7`);
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date());
    expect(text).toContain(`<title>${day}: $25.00</title>`);
    expect(text).toContain(`Volume per day (${zone})`);
  });
});

describe('the list of what to set up', () => {
  it('ticks what is done, and is gone with the first live payment', async () => {
    const { client, merchantId } = await newShop();
    const steps = async () =>
      [...(await client.get(home)).text.matchAll(/<li class="is-done">|<li><svg/g)].map(([found]) =>
        found.includes('is-done'),
      );
    expect(await steps()).toEqual([true, false, false, false, false]);
    const { text } = await client.get(home);
    // Nothing needs attention, which is one line. The list follows the figures, folded once it is begun.
    expect(text).toMatch(
      /<p class="all-clear">.*data-testid="figures".*<details class="card fold"><summary>/s,
    );
    expect(text).not.toContain(texts.home.needsAttention);
    await client.post(`${home}/branding`, { displayName: 'Corner Roasters', accent: '#334155' });
    expect(await steps()).toEqual([true, false, true, false, false]);
    const live = new Shop(world.baseUrl, await world.key(merchantId, 'live'));
    await paidPayment(live);
    expect((await client.get(home)).text).not.toContain('data-testid="set-up"');
  });
});

describe('the links of the set-up list, and the pages that the search offers', () => {
  it('all lead to a page, at a part of it that exists', async () => {
    const { client } = await newShop();
    const linksOf = (html: string): string[] =>
      [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);
    const setUp = /<ol class="set-up"[^]*?<\/ol>/.exec((await client.get(home)).text)?.[0] ?? '';
    const found = new Set(linksOf(setUp));
    expect(found.size).toBe(4);
    for (const letter of 'aeiou') {
      const { text } = await client.get(`${home}/search?q=${letter}`);
      const pages = /<h2>Pages<\/h2>[^]*?<ul class="found">([^]*?)<\/ul>/.exec(text)?.[1] ?? '';
      for (const link of linksOf(pages)) found.add(link);
    }
    expect([...found]).toEqual(expect.arrayContaining([home, `${home}/team`, `${home}/team#sign-in`]));
    expect(found.size).toBeGreaterThanOrEqual(14);
    for (const link of found) {
      const [path = '', part] = link.split('#');
      const { status, text } = await client.get(path);
      const isThere = part === undefined || text.includes(`id="${part}"`);
      expect([link, status, isThere]).toEqual([link, 200, true]);
    }
  });
});

describe("the columns of a payment's page", () => {
  const headings = async (client: DashboardClient, id: string): Promise<string[]> => {
    const { text } = await client.get(`${home}/payments/${id}`);
    const story = text.slice(text.indexOf('class="story"'));
    return [...story.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title = '']) => title).slice(0, -2);
  };
  const { timeline, attempts, checkout, sandbox, details, bought, refunds } = texts.payments;

  it.each([
    ['a short story', {}, [timeline, attempts, checkout, sandbox, details]],
    ['one with an order', { description: 'Beans' }, [timeline, attempts, bought, sandbox, details]],
  ])('are filled with %s', async (_name, fields, expected) => {
    const { shop, client } = await newShop();
    expect(await headings(client, await paidPayment(shop, undefined, fields))).toEqual(expected);
  });

  it('leave the simulations to the facts beside a long story', async () => {
    const { shop, client } = await newShop();
    const id = await paidPayment(shop);
    await refund(shop, id, { amountCents: 100 });
    expect(await headings(client, id)).toEqual([timeline, attempts, refunds, details, sandbox]);
  });
});

describe('the timeline of a payment', () => {
  it('separates events of the payment from API calls, and shows either alone by the address', async () => {
    const { shop, client } = await newShop();
    const page = `${home}/payments/${await paidPayment(shop)}`;
    const shown = async (query: string): Promise<string[]> => {
      const { text } = await client.get(page + query);
      const list = /<ol class="timeline"[^>]*>(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
      return [...list.matchAll(/<li(?: class="([^"]*)")?><span>([^<]+)</g)].map(
        ([, tone = '', title]) => `${tone.split(' ')[0] === 'beside' ? 'beside: ' : ''}${title}`,
      );
    };
    const all = await eventually(async () => {
      const found = await shown('?timeline=all');
      return found.includes('beside: POST /v1/payments/:id/pay answered 200') ? found : undefined;
    });
    const story = [
      'Paid with Visa\u00a0··\u00a04242',
      'The customer tried to pay with Visa\u00a0··\u00a04242',
      'Payment of $25.00 created',
    ];
    expect(all).toEqual(expect.arrayContaining(story));
    const calls = all.filter((title) => title.startsWith('beside: POST '));
    expect(calls.length).toBeGreaterThanOrEqual(3);
    expect(await shown('?timeline=calls')).toEqual(calls);
    for (const query of ['', '?timeline=payment', '?timeline=nonsense']) {
      expect(await shown(query)).toEqual(story);
    }
    const { text } = await client.get(`${page}?timeline=webhooks`);
    expect(text).toContain(texts.payments.noEntries);
    expect(text).toContain(`href="${page}?timeline=webhooks#timeline" aria-current="true"`);
  });
});

describe('the page of an open payment', () => {
  it('says in one calm sentence that the customer has not paid, and until when they can', async () => {
    const { shop, client } = await newShop();
    const { text } = await client.get(`${home}/payments/${idOf(await shop.create())}`);
    const waiting =
      /<p class="alert callout calm" data-testid="why-pending">(.*?)<\/p>/s.exec(text)?.[1] ?? '';
    expect(waiting.replaceAll(/<[^>]+>/g, '')).toMatch(
      /^The customer hasn't paid yet\. The checkout closes at \d\d:\d\d \(in (29|30) minutes\)\.$/,
    );
    expect(text).not.toMatch(/Waiting/);
    // The day once, and each line with its time.
    expect(text.match(/<li class="timeline-day">/g)).toHaveLength(1);
    expect(text).toMatch(/Payment of \$25\.00 created<\/span>.*?<time[^>]*>\d\d:\d\d:\d\d</s);
  });
});

describe('a filter with an invalid part', () => {
  const noticed = (text: string): string =>
    /<p class="alert notice bad" role="alert">([^<]+)</.exec(text)?.[1] ?? 'nothing is said';

  it('is explained in a line, and its valid parts apply', async () => {
    const { shop, client } = await newShop();
    await paidPayment(shop, undefined, { reference: 'paid-order' });
    await shop.create({ reference: 'open-order' });
    const find = async (query: string) => {
      const { status, text } = await client.get(`${home}/payments?${query}`);
      const found = ['paid-order', 'open-order'].filter((reference) => text.includes(`>${reference}<`));
      return [status, noticed(text), found];
    };
    expect(await find('status=nonsense&method=card')).toEqual([
      200,
      "Some filters were ignored. Status “nonsense” doesn't exist.",
      ['paid-order'],
    ]);
    expect(await find(`status=paid&method=${'x'.repeat(50)}&from=2026-99-99`)).toEqual([
      200,
      `Some filters were ignored. Method “${'x'.repeat(40)}…” doesn't exist. From “2026-99-99” isn't a date such as 2030-01-31.`,
      ['paid-order'],
    ]);
    expect(await find('from=2030-01-02&to=2030-01-01')).toEqual([200, texts.payments.fromAfterTo, []]);
    expect(await find('status=paid&cursor=elsewhere')).toEqual([
      200,
      texts.common.invalidPage,
      ['paid-order'],
    ]);
    for (const good of ['', 'status=&method=&from=&to=', 'status=paid&from=2020-01-01&q=']) {
      expect((await find(good))[1]).toBe('nothing is said');
    }
  });

  it.each(['/refunds?status=x', '/disputes?status=x', '/developers/requests?answered=x'])(
    'is explained on every list: %s',
    async (path) => {
      const { client } = await newShop();
      const { status, text } = await client.get(home + path);
      expect(status).toBe(200);
      expect(noticed(text)).toMatch(/^Some filters were ignored\. (Status|Response) “x” doesn't exist\.$/);
    },
  );
});

describe('a list that is read by cursor', () => {
  const linkOf = (text: string, label: string): string =>
    new RegExp(`href="([^"]+)"[^>]*>${label}<`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const idsIn = (text: string, pattern: RegExp): string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, id = '']) => id)),
  ];

  it('leads to its next page and back to its first one, and shows every row once', async () => {
    const { merchantId, client } = await newShop();
    const endpointId = await endpointOfMany(world.database, merchantId);
    await manyDeliveries(world.database, endpointId, { count: 40, overSeconds: 60 });
    const [paymentId = ''] = await manyPayments(world.database, merchantId, {
      count: 1,
      ageSeconds: 5,
      final: true,
    });
    await world.database.query(
      `UPDATE events SET data = json_build_object('id', $2::text) WHERE merchant_id = $1`,
      [merchantId, paymentId],
    );
    const { newest, next } = texts.common;
    for (const [path, first, pattern] of [
      [`${home}/webhooks/${endpointId}`, newest, /events\/(evt_[0-9A-Za-z]+)"/g],
      [`${home}/developers`, newest, /events\/(evt_[0-9A-Za-z]+)"/g],
    ] as const) {
      const one = (await client.get(path)).text;
      const two = (await client.get(linkOf(one, next))).text;
      expect([path, linkOf(one, first), linkOf(two, next), linkOf(two, first)]).toEqual([path, '', '', path]);
      const [here, there] = [idsIn(one, pattern), idsIn(two, pattern)];
      expect([path, here.length, new Set([...here, ...there]).size]).toEqual([path, 25, 40]);
      const elsewhere = await client.get(`${path}?cursor=elsewhere`);
      expect(elsewhere.text).toContain(texts.common.invalidPage);
      expect(idsIn(elsewhere.text, pattern)).toEqual(here);
    }
  });
});

describe('the response to a dispute', () => {
  const disputed = async () => {
    const { shop, client } = await newShop();
    const payment = await paidPayment(shop);
    const id = idOf(await keyed(shop, `/v1/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' }));
    return { id, client, page: `${home}/disputes/${id}` };
  };

  it('submits first: it saves the evidence and asks, and an empty form is refused', async () => {
    const { client, page } = await disputed();
    const { text } = await client.get(page);
    const actions = /<h2>Your response<\/h2>.*?<div class="actions">(.*?)<\/div>/s.exec(text)?.[1] ?? '';
    expect(actions).toMatch(
      /^<button type="submit" class="btn" form="evidence" name="then" value="submit">Submit evidence<\/button><a class="btn" data-variant="destructive"/,
    );
    const empty = await client.post(`${page}/evidence`, { 'evidence.shippingTracking': ' ', then: 'submit' });
    expect([empty.status, empty.text.includes(texts.disputes.nothingToSubmit)]).toEqual([422, true]);
    const saved = await client.send(`${page}/evidence`, {
      'evidence.shippingTracking': 'Carrier 7, delivered on Monday',
      then: 'submit',
    });
    expect(saved.location).toBe(`${page}?answer=submit#asking`);
    const asked = await client.follow(saved);
    expect(asked.text).toContain(texts.disputes.submitQuestion);
    expect(asked.text).toContain('Carrier 7, delivered on Monday');
  });

  it('is one sentence after the deadline, with the acceptance folded', async () => {
    const { client, id, page } = await disputed();
    await world.database.query(
      `UPDATE disputes SET evidence_due_at = now() - interval '1 hour' WHERE id = $1`,
      [id],
    );
    const { text } = await client.get(page);
    const response =
      /<h2>Your response<\/h2><\/header><section class="stack">(.*?)<\/section>/s.exec(text)?.[1] ?? '';
    expect(response).toMatch(
      new RegExp(
        `^<p>${texts.disputes.lateAnswerText}</p><details><summary>.*answer=accept#asking.*</details>$`,
        's',
      ),
    );
    expect(text).not.toContain('name="then"');
  });
});

describe('the page of a dispute', () => {
  it('puts in what is known of the payment, advises by its reason, and shows what will be sent', async () => {
    const { shop, client } = await newShop();
    const payment = await paidPayment(shop, '4242424242424242', {
      reference: 'order-1025',
      description: 'Espresso beans',
      customer: { name: 'Grace Hopper', email: 'grace@example.org' },
    });
    const dispute = async (reason: string, of: string) =>
      idOf(await keyed(shop, `/v1/sandbox/payments/${of}/disputes`, { reason }));
    const page = `${home}/disputes/${await dispute('product_not_received', payment)}`;
    const { text } = await client.get(page);
    expect(text).toContain('<h1>Dispute of $25.00 on order-1025</h1>');
    expect(text).toContain('7 days left to respond');
    expect(text).toMatch(/data-testid="advice">The customer says that nothing arrived\./);
    expect(text).toContain('We filled in “Anything else”');
    const filledIn = /name="evidence\.uncategorizedText"[^>]*>([^<]*)</.exec(text)?.[1] ?? '';
    expect(filledIn.split('\n')).toEqual([
      'Order: order-1025',
      'For: Espresso beans',
      'Amount: $25.00',
      expect.stringMatching(/^Paid: \d{4}-\d\d-\d\d \d\d:\d\d UTC$/) as string,
      'Customer: Grace Hopper, grace@example.org',
      expect.stringMatching(/^Card: Visa ending in 4242/) as string,
      'The bank approved the payment without asking the customer to confirm it.',
    ]);
    // What happened is offered with its dates, as plain text.
    const story = /data-testid="dispute-story">.*?<pre>([^<]*)<\/pre>/s.exec(text)?.[1] ?? '';
    const at = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC: `;
    expect(story.split('\n')).toEqual(
      [
        'Payment of $25.00 created',
        'The customer tried to pay with Visa ·· 4242',
        'Paid with Visa ·· 4242',
      ].map((line) => expect.stringMatching(new RegExp(`^${at}${line.replace('$', '.')}$`)) as string),
    );
    await client.post(`${page}/evidence`, { 'evidence.uncategorizedText': filledIn });
    const saved = (await client.get(page)).text;
    expect(saved).not.toContain('We filled in');
    expect(saved).toMatch(
      /The evidence as the payment network will receive it[\s\S]*<pre>Order: order-1025\n/,
    );
  });
});

describe('a stored text that a page looks up', () => {
  const paths = [
    '',
    '/payments',
    '/refunds',
    '/disputes',
    '/reports',
    '/webhooks',
    '/developers',
    '/settings',
  ];
  const statuses = async (client: DashboardClient) =>
    Promise.all([...paths, '/team'].map(async (path) => [path, (await client.get(home + path)).status]));
  const all200 = [...paths, '/team'].map((path) => [path, 200]);

  it.each(['constructor', '__proto__'])('can be the name "%s" of an invited member', async (name) => {
    const { client } = await newShop();
    await client.post(`${home}/team/invitations`, { name, role: 'support' });
    expect((await client.get(`${home}/team`)).text).toContain(`<code>${name}</code>`);
    expect(await statuses(client)).toEqual(all200);
  });

  it.each([
    ['Node', 'Mars/Olympus'],
    ['PostgreSQL', 'MIT'],
  ])('can be a time zone that %s does not know, %s: times are in UTC', async (_program, zone) => {
    const { merchantId, client } = await newShop();
    await world.database.query('UPDATE merchant_settings SET time_zone = $2 WHERE merchant_id = $1', [
      merchantId,
      zone,
    ]);
    expect(await statuses(client)).toEqual(all200);
    expect((await client.get(`${home}/team`)).text).toContain('(UTC)');
  });
});
