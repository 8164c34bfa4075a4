import { texts } from '../../../src/dashboard/texts/en.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const home = '/dashboard/sandbox';

/** Returns the entries of a page as their cells' text, by the name of the column. */
const entriesOf = (html: string): Record<string, string>[] =>
  html
    .split('data-testid="audit-row"')
    .slice(1)
    .map((row) =>
      Object.fromEntries(
        [...row.matchAll(/<td data-head="([^"]*)"[^>]*>(.*?)<\/td>/gs)].map(([, head = '', cell = '']) => [
          head,
          cell.replaceAll(/<[^>]+>/g, ' ').trim(),
        ]),
      ),
    );

describe('the audit log of the dashboard', () => {
  it('is filtered by actor, action and days in the address, and folds simulations', async () => {
    const merchantId = await world.merchant();
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    await client.post(`${home}/webhooks`, { url: 'https://shop.example/hooks', types: 'payment.paid' });
    const payment = await paidPayment(shop);
    await keyed(shop, `/v1/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' });
    const actions = async (query: string): Promise<string[]> => {
      const { status, text } = await client.get(`${home}/team?${query}`);
      expect(status).toBe(200);
      return entriesOf(text).map(({ Action = '' }) => Action.split(/\s{2,}/)[0] ?? '');
    };
    const all = await actions('');
    expect(all).toEqual(expect.arrayContaining(['Webhook endpoint created', 'Signed in']));
    expect(all).not.toContain('Dispute simulated');
    const page = (await client.get(`${home}/team`)).text;
    expect(page).toContain(`href="${home}/team?controls=shown#audit">${texts.team.showControls}<`);
    expect(await actions('controls=shown')).toContain('Dispute simulated');
    expect(await actions('action=sandbox')).toEqual(['Dispute simulated']);
    expect(await actions('action=webhook')).toEqual(['Webhook endpoint created']);
    const { rows } = await world.database.query<{ id: string }>(
      `SELECT id FROM members WHERE merchant_id = $1 AND role = 'support'`,
      [merchantId],
    );
    const who = rows[0]?.id ?? '';
    expect((await actions(`who=${who}`)).every((one) => /^(Signed in|Member joined)$/.test(one))).toBe(true);
    expect(await actions(`who=${who}&action=webhook`)).toEqual([]);
    expect(await actions('who=apiKey&action=webhook')).toEqual([]);
    expect((await actions('who=operator')).length).toBeGreaterThan(0);
    expect(await actions('to=2020-01-01')).toEqual([]);
    expect(await actions('from=2020-01-01&action=webhook')).toHaveLength(1);
    const shown = (await client.get(`${home}/team?who=${who}&action=webhook&from=2020-01-01`)).text;
    expect(shown).toContain(texts.team.noAuditMatch);
    expect(shown).toContain(`<option value="${who}" selected`);
    expect(shown).toContain('value="2020-01-01"');
    const wrong = (await client.get(`${home}/team?who=x&action=y&from=z`)).text;
    expect(wrong).toContain("Some filters were ignored. Action “y” doesn't exist. Who “x” doesn't exist.");
    expect((await support.get(`${home}/team?action=webhook`)).text).not.toContain('audit-row');
  });

  it('says values in words, and leaves out none of them', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    await client.post(`${home}/webhooks`, { url: 'https://shop.example/hooks', types: 'payment.paid' });
    const [made] = entriesOf((await client.get(`${home}/team?action=webhook`)).text);
    expect(made?.['Changes']?.replaceAll(/\s+/g, ' ')).toBe(
      'Address: https://shop.example/hooks Events: Payment paid Status: Enabled',
    );
    expect(made?.['Object']).toMatch(/^Webhook endpoint/);
  });

  it('names a changed endpoint by its URL, which leads to its page until it is deleted', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    await client.post(`${home}/webhooks`, { url: 'https://shop.example/hooks', types: 'payment.paid' });
    const log = async (): Promise<string> => (await client.get(`${home}/team?action=webhook`)).text;
    const link = /href="([^"]+)">https:\/\/<wbr\/>shop\.example\/<wbr\/>hooks<\/a>/;
    const path = link.exec(await log())?.[1] ?? '';
    expect((await client.get(path)).status).toBe(200);
    await client.post(`${path}/delete`);
    expect(await log()).not.toMatch(link);
  });

  it('leads to older entries with the same filter', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const zones = ['America/Sao_Paulo', 'Europe/Berlin'];
    for (let made = 0; made < 52; made += 1) {
      await client.post(`${home}/settings/time-zone`, { timeZone: zones[made % 2] ?? '' });
    }
    const first = (await client.get(`${home}/team?action=settings`)).text;
    expect(entriesOf(first)).toHaveLength(50);
    const older = /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).toMatch(/\?action=settings&before=\d+#audit$/);
    // One of them is from the set-up of this merchant.
    expect(entriesOf((await client.get(older)).text)).toHaveLength(3);
  });
});

describe('the setting for payments after the deadline', () => {
  it('is changed by owners only, and the audit log says so', async () => {
    const merchantId = await world.merchant();
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const developer = await DashboardClient.by(world, await invitationLink(world, merchantId, 'developer'));
    const isOn = async (): Promise<boolean | undefined> => {
      const sql = `SELECT refund_late AS "isOn" FROM merchant_settings
        WHERE merchant_id = $1 AND environment = 'sandbox'`;
      return (await world.database.query<{ isOn: boolean }>(sql, [merchantId])).rows[0]?.isOn;
    };
    expect((await client.get(`${home}/settings`)).text).toContain(texts.settings.keptLate);
    expect((await developer.post(`${home}/settings/refund-late`, { on: 'on' })).status).toBe(403);
    expect((await developer.get(`${home}/settings`)).text).not.toContain(`${home}/settings/refund-late`);
    expect(await isOn()).toBe(false);
    const saved = await client.post(`${home}/settings/refund-late`, { on: 'on' });
    expect([saved.location, await isOn()]).toEqual([`${home}/settings?done=settingsSaved`, true]);
    const page = (await client.get(`${home}/settings`)).text;
    expect(page).toContain(texts.settings.refundedLate);
    expect(page).toContain(`${home}/settings?ask=refund-late-off#asking`);
    await client.post(`${home}/settings/refund-late`, { on: 'off' });
    expect(await isOn()).toBe(false);
    const [latest] = entriesOf((await client.get(`${home}/team?action=settings`)).text);
    expect(latest?.['Changes']).toMatch(/Refund late:\s+yes → no/);
  });
});
