import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { invitationLink, ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { manyPayments } from '../../support/many-rows.ts';
import { ownConnector } from '../../support/own-connector.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';

/** Where pictures go; none are kept unless it is set. */
const directory = process.env['DASHBOARD_SCREENSHOTS'];
const sizes = [
  ['desktop', 1280],
  ['phone', 360],
] as const;

withBrowser('every page of the dashboard', () => {
  const hosted = new HostedPage(
    { webhooks: true },
    {
      REFUND_DELAY_SECONDS: '0',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'payments',
      OIDC_CLIENT_SECRET: 'not asked for',
      OIDC_NAME: 'Acme ID',
    },
  );
  let merchantId: string;
  let receiver: Receiver;
  let places: [name: string, path: string][];

  beforeAll(async () => {
    const { world } = hosted;
    merchantId = await world.merchant();
    await world.database.query(`UPDATE merchants SET name = 'Corner Roasters' WHERE id = $1`, [merchantId]);
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    receiver = await createReceiver((delivery, response) => {
      const fails = delivery.event.type === 'refund.created';
      response.writeHead(fails ? 500 : 200, { 'content-type': 'text/plain' });
      response.end(fails ? 'the stock service is away' : 'thanks');
    });
    const endpoint = await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
    // Two weeks of trade before today.
    for (const [index, count] of [4, 7, 6, 9, 12, 5, 3, 8, 9, 11, 10, 14, 7].entries()) {
      const earlier = { count, ageSeconds: (13 - index) * 86_400, final: true };
      await manyPayments(world.database, merchantId, earlier);
    }
    // Past the triggers that keep what a payment was created with: they were never anything else.
    await world.database.query(
      `BEGIN; SET LOCAL session_replication_role = 'replica';
       UPDATE payments SET reference = 'order-' || (1024 - n), amount_cents = 1250 + (n * 733) % 9000,
         method = 'card', card_brand = CASE WHEN n % 3 = 0 THEN 'mastercard' ELSE 'visa' END,
         card_last4 = CASE WHEN n % 3 = 0 THEN '4444' ELSE '4242' END,
         customer_email = (ARRAY['mary@example.org', 'edsger@example.org', 'barbara@example.org'])[1 + n % 3]
       FROM (SELECT id AS of, (row_number() OVER (ORDER BY created_at DESC))::int AS n
             FROM payments WHERE merchant_id = '${merchantId}') AS earlier WHERE id = of;
       COMMIT`,
    );
    const customers = ['ada@example.org', 'grace.hopper@example.org', 'lin@example.org'];
    const paid: string[] = [];
    for (const [index, email] of customers.entries()) {
      const fields = {
        reference: `order-10${index + 24}`,
        amountCents: 1_850 + index * 2_345,
        customer: { email },
      };
      paid.push(await paidPayment(shop, undefined, fields));
    }
    await refund(shop, paid[0] ?? '', { amountCents: 850, reason: 'requestedByCustomer' });
    const dispute = await keyed(shop, `/v1/sandbox/payments/${paid[1]}/disputes`, { reason: 'fraudulent' });
    const pending = await shop.create({ reference: 'order-1031', amountCents: 12_900 });
    const event = await world.database.query<{ id: string }>(
      `SELECT id FROM events WHERE payment_id = $1 AND type = 'payment.paid'`,
      [paid[0]],
    );
    // Some that went wrong, and until the log has them.
    await shop.create({ reference: 'order-1032', amountCents: 1 });
    await shop.call('GET', `/v1/payments/${randomUUID()}`);
    const last = await shop.call('GET', '/v1/refunds?status=nothing');
    await eventually(async () => {
      const { rows } = await world.database.query('SELECT FROM api_requests WHERE id = $1', [
        last.headers.get('request-id'),
      ]);
      return rows[0];
    });
    await invitationLink(world, merchantId, 'support');
    await ownConnector(world, merchantId, 'live', 'of nobody');
    places = [
      ['home', ''],
      ['payments', '/payments'],
      ['payments-found', '/payments?q=ada@example.org&status=paid&method=card'],
      ['payments-none', '/payments?q=nothing-like-it'],
      ['payment', `/payments/${paid[0]}`],
      ['payment-pending', `/payments/${String(pending.body.data?.['id'])}`],
      ['refunds', '/refunds'],
      ['disputes', '/disputes'],
      ['dispute', `/disputes/${idOf(dispute)}`],
      ['dispute-accept', `/disputes/${idOf(dispute)}?answer=accept`],
      ['payment-disputed', `/payments/${paid[1]}`],
      ['webhooks', '/webhooks'],
      ['endpoint', `/webhooks/${idOf(endpoint)}`],
      ['developers', '/developers'],
      ['requests', '/developers/requests'],
      ['requests-none', '/developers/requests?answered=5'],
      ['event', `/events/${event.rows[0]?.id}`],
      ['settings', '/settings'],
      ['team', '/team'],
      ['confirm', '/confirm'],
      ['password', '/team/password'],
    ];
  });
  afterAll(() => receiver.close());

  /** Faults of a page as it stands: what axe finds, and what does not fit. */
  async function faultsOf(page: Page): Promise<string[]> {
    const wide = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    return [
      ...(await accessibilityFaults(page)),
      ...(Number(wide) > 0 ? [`${String(wide)} px too wide`] : []),
    ];
  }

  it.each(['light', 'dark'] as const)('has no fault that axe finds and fits, %s', async (colorScheme) => {
    const found: Record<string, string[]> = {};
    await hosted.inTab(
      async ({ page, complaints }) => {
        const look = async (name: string): Promise<void> => {
          for (const [size, width] of sizes) {
            await page.setViewportSize({ width, height: size === 'phone' ? 740 : 860 });
            const faults = await faultsOf(page);
            if (faults.length > 0) found[`${name} ${size}`] = faults;
            if (directory === undefined) continue;
            await mkdir(directory, { recursive: true });
            const path = join(directory, `${name}-${size}-${colorScheme}.png`);
            await page.screenshot({ path, fullPage: true });
          }
        };
        const link = await ownerLink(hosted.world, merchantId);
        const { origin } = new URL(link);
        await page.goto(`${origin}/dashboard/sign-in`);
        await look('sign-in');
        await page.goto(link);
        for (const [name, path] of places) {
          await page.goto(`${origin}/dashboard/sandbox${path}`);
          await look(name);
        }
        await page.goto(`${origin}/dashboard/live/payments`);
        await look('live-empty');
        await page.goto(`${origin}/dashboard/live/settings`);
        await look('settings-connector');
        expect(complaints).toEqual([]);
      },
      { colorScheme, timezoneId: 'America/New_York' },
    );
    expect(found).toEqual({});
  });
});
