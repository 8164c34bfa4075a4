import { setMerchantStatus } from '../../../src/db/merchants/merchants.ts';
import { freshSignInMs, idleSessionMs } from '../../../src/domain/members.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
});
afterAll(() => world.close());

const cookieName = '__Host-dashboard';
const home = '/dashboard/sandbox';
/** Where a link leads a member without passkey and password. */
const firstPasskey = `${home}/first-passkey`;
const age = (merchantId: string, column: string, ms: number) =>
  world.database.query(
    `UPDATE member_sessions s SET ${column} = ${column} - make_interval(secs => $2)
     FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
    [merchantId, ms / 1000],
  );

describe('a sign-in link', () => {
  it('signs in once, also when many follow it at the same time', async () => {
    const link = new URL(await ownerLink(world, await world.merchant())).pathname;
    const answers = await Promise.all(Array.from({ length: 8 }, () => new DashboardClient(world).get(link)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      303,
      ...Array.from({ length: 7 }, () => 410),
    ]);
  });

  it('expires after a day, and is not used up by a prefetch', async () => {
    const merchantId = await world.merchant();
    const link = new URL(await ownerLink(world, merchantId)).pathname;
    const client = new DashboardClient(world);
    expect((await client.get(link, { 'sec-purpose': 'prefetch' })).status).toBe(503);
    await world.database.query(
      `UPDATE sign_in_links SET expires_at = now() - interval '1 second' WHERE merchant_id = $1`,
      [merchantId],
    );
    expect((await client.get(link)).status).toBe(410);
    const next = new URL(await ownerLink(world, merchantId)).pathname;
    expect((await client.get(next)).status).toBe(303);
  });

  it('asks visitors from another site for confirmation, also without a session', async () => {
    const merchantId = await world.merchant();
    const client = new DashboardClient(world);
    const link = new URL(await ownerLink(world, merchantId)).pathname;
    const led = { 'sec-fetch-site': 'cross-site' };
    const asked = await client.get(link, led);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain(texts.signIn.linkTitle);
    expect(asked.text).toContain('Another website sent you here');
    expect(client.cookies.get(cookieName)).toBeUndefined();
    expect((await client.post(link, {}, 'x')).status).toBe(403);
    const csrf = /name="csrf" value="([^"]+)"/.exec(asked.text)?.[1];
    expect((await client.post(link, {}, csrf)).location).toBe(firstPasskey);
    // A used link shows no form. A link that is typed, or opened from outside a browser, signs in at once.
    expect((await new DashboardClient(world).get(link, led)).status).toBe(410);
    const typed = new URL(await ownerLink(world, merchantId)).pathname;
    expect((await new DashboardClient(world).get(typed, { 'sec-fetch-site': 'none' })).location).toBe(
      firstPasskey,
    );
  });

  it('sets a cookie for this host, hidden from scripts and sent over TLS only', async () => {
    const answer = await new DashboardClient(world).get(
      new URL(await ownerLink(world, await world.merchant())).pathname,
    );
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith(`${cookieName}=`)) ?? '';
    expect(cookie).toMatch(/; Path=\//);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; Secure/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).not.toMatch(/domain=/i);
  });
});

describe('a session', () => {
  it('is always new: a planted cookie is not adopted, and the previous session ends', async () => {
    const merchantId = await world.merchant();
    const planted = 'A'.repeat(43);
    const client = new DashboardClient(world);
    client.cookies.set(cookieName, planted);
    await client.get(new URL(await ownerLink(world, merchantId)).pathname);
    const first = client.cookies.get(cookieName) ?? '';
    expect(first).not.toBe(planted);
    expect((await client.post(new URL(await ownerLink(world, merchantId)).pathname)).status).toBe(303);
    expect(client.cookies.get(cookieName)).not.toBe(first);
    const former = new DashboardClient(world);
    former.cookies.set(cookieName, first);
    expect((await former.get(home)).location).toMatch(/^\/dashboard\/sign-in/);
  });

  it("is not replaced by a link without the member's confirmation", async () => {
    const [own, others] = [await world.merchant(), await world.merchant()];
    const client = await DashboardClient.by(world, await ownerLink(world, own));
    const kept = client.cookies.get(cookieName);
    const link = new URL(await ownerLink(world, others)).pathname;
    const asked = await client.get(link);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain(texts.signIn.linkTitle);
    expect(client.cookies.get(cookieName)).toBe(kept);
    expect((await client.get(home)).status).toBe(200);
    // Another site can post the form, but has no token for it.
    expect((await client.post(link, {}, null)).status).toBe(403);
    expect((await client.post(link, {}, 'x')).status).toBe(403);
    // These requests did not use the link up.
    expect((await client.post(link)).location).toBe(firstPasskey);
    expect(client.cookies.get(cookieName)).not.toBe(kept);
    expect((await client.post(link)).status).toBe(410);
    // An expired link shows no form, and neither does the member's own link.
    expect((await client.get(link)).status).toBe(410);
    expect((await client.get(new URL(await ownerLink(world, others)).pathname)).location).toBe(firstPasskey);
  });

  it('ends with sign-out, also in a second tab, and a kept cookie is invalid', async () => {
    const client = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    const token = await client.token();
    const kept = client.cookies.get(cookieName) ?? '';
    expect((await client.post(`${home}/sign-out`)).status).toBe(303);
    const tab = new DashboardClient(world);
    tab.cookies.set(cookieName, kept);
    expect((await tab.get(home)).status).toBe(303);
    const posted = await tab.post(`${home}/developers/keys`, { name: 'x' }, token);
    expect(posted.status).toBe(401);
    expect(posted.text).toContain(texts.common.signedOutText);
  });

  it('ends when unused, and in any case after half a day', async () => {
    for (const [column, ms] of [
      ['seen_at', idleSessionMs],
      ['expires_at', 12 * 3_600_000],
    ] as const) {
      const merchantId = await world.merchant();
      const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
      expect((await client.get(home)).status).toBe(200);
      await age(merchantId, column, ms + 1_000);
      expect((await client.get(home)).location).toMatch(/^\/dashboard\/sign-in/);
    }
  });

  it('stores no usable secret in the database', async () => {
    const client = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    const secret = client.cookies.get(cookieName) ?? '';
    const { rows } = await world.database.query<{ text: string }>(
      'SELECT member_sessions::text AS text FROM member_sessions',
    );
    expect(rows.length).toBeGreaterThan(0);
    const stored = rows.map(({ text }) => text).join('\n');
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    expect(world.logs.join('\n')).not.toContain(secret);
  });
});

describe('a form', () => {
  it('is refused without its token, with a wrong one, and with that of another browser', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const other = await DashboardClient.by(world, await ownerLink(world, merchantId));
    for (const token of [null, '', 'x'.repeat(30), await other.token()]) {
      const answer = await client.post(`${home}/developers/keys`, { name: 'forged' }, token);
      expect(answer.status).toBe(403);
    }
    const { rows } = await world.database.query(`SELECT FROM api_keys WHERE merchant_id = $1`, [merchantId]);
    expect(rows).toHaveLength(0);
    const made = await client.post(`${home}/developers/keys`, { name: 'mine' });
    expect((await client.follow(made)).text).toContain('data-testid="api-key"');
  });

  it('requires a confirmation of the member ten minutes after the sign-in, and changes nothing before it', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    await age(merchantId, 'confirmed_at', freshSignInMs);
    const answer = await client.post(`${home}/settings/custom-actions`, { on: 'on' });
    expect(answer.location).toMatch(/^\/dashboard\/sandbox\/confirm\?to=/);
    const { rows } = await world.database.query<{ on: boolean }>(
      `SELECT custom_actions AS on FROM merchant_settings WHERE merchant_id = $1 AND environment = 'sandbox'`,
      [merchantId],
    );
    expect(rows).toEqual([{ on: false }]);
    expect((await client.get(`${home}/confirm?to=https://evil.example/`)).text).toContain(
      texts.signIn.confirmTitle,
    );
  });

  it('sent twice refunds once; a second refund of the rest by another form is refused with an explanation', async () => {
    const merchantId = await world.merchant();
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const id = await paidPayment(shop, undefined, { amountCents: 2_000 });
    const [one, two] = await Promise.all([
      DashboardClient.by(world, await ownerLink(world, merchantId)),
      DashboardClient.by(world, await invitationLink(world, merchantId, 'support')),
    ]);
    const page = await one.get(`${home}/payments/${id}`);
    const key = /name="key" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = { key, amount: '20.00', reason: '', reference: '' };
    const path = `${home}/payments/${id}/refunds`;
    expect((await one.post(path, form)).status).toBe(303);
    expect((await one.post(path, form)).status).toBe(303);
    const late = await two.post(path, { ...form, key: `dashboard-${crypto.randomUUID()}` });
    expect(late.status).toBe(409);
    const { rows } = await world.database.query('SELECT FROM refunds WHERE payment_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });
});

describe('a signed-in member', () => {
  it('sees an explanation when the merchant is disabled, and may still sign out', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    await setMerchantStatus(world.database, merchantId, 'disabled', byOperator());
    const answer = await client.get(`${home}/payments`);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(texts.common.disabledTitle);
    expect(answer.text).toContain(`<form method="post" action="${home}/sign-out"`);
    expect(answer.text).not.toContain(texts.common.goToDashboard);
    expect((await client.post(`${home}/developers/keys`, { name: 'x' })).status).toBe(403);
    const token = /name="csrf" value="([^"]+)"/.exec(answer.text)?.[1] ?? '';
    expect((await client.post(`${home}/sign-out`, {}, token)).status).toBe(303);
    expect((await client.get(`${home}/payments`)).location).toContain('/dashboard/sign-in');
  });

  it('gets a page for an unknown address in any part of the dashboard', async () => {
    const client = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    const stranger = new DashboardClient(world);
    for (const visitor of [client, stranger]) {
      for (const path of ['/sandbox/nonsense', '/sandbox/payments/x/y', '/nonsense', '/x/y/z']) {
        const { status, headers, text } = await visitor.get(`/dashboard${path}`);
        expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
        expect(text).toContain(texts.common.notFoundTitle);
      }
    }
  });

  it('is signed out at once when removed from the team, and the last owner cannot be removed', async () => {
    const merchantId = await world.merchant();
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    const { rows } = await world.database.query<{ id: string; role: string }>(
      'SELECT id, role FROM members WHERE merchant_id = $1',
      [merchantId],
    );
    const idOf = (role: string): string => rows.find((row) => row.role === role)?.id ?? '';
    expect((await owner.post(`${home}/team/${idOf('owner')}/remove`)).status).toBe(409);
    expect((await owner.post(`${home}/team/${idOf('support')}/remove`)).status).toBe(303);
    expect((await support.get(home)).location).toMatch(/^\/dashboard\/sign-in/);
  });

  it('searches with 10,000 characters and gets an explanation', async () => {
    const client = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    const answer = await client.get(`${home}/payments?q=${'a'.repeat(10_000)}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Enter at most 255 characters');
    expect((await client.get(`${home}/payments?q=%00%F0%9F%92%A9`)).status).toBe(200);
  });

  it('gets CSV in which no reference is a formula', async () => {
    const merchantId = await world.merchant();
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    await shop.create({ reference: '=HYPERLINK("http://evil.example")' });
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const { text, headers } = await client.get(`${home}/payments.csv`);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(text).not.toMatch(/(^|,|")=HYPERLINK/m);
    expect(text).toContain('HYPERLINK');
  });
});
