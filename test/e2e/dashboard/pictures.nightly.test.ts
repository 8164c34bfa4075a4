import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OAuth2Server } from 'oauth2-mock-server';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { setMemberEmail } from '../../../src/db/members/member-emails.ts';
import { setMerchantStatus } from '../../../src/db/merchants/merchants.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { invitationLink, ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { dressForPicture, pictureOptions } from '../../support/page-pictures.ts';
import { ownConnector } from '../../support/own-connector.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';
import { documentedPictures, maxPictureHeight } from './docs/documented-pictures.ts';
import { twoWeeksOfTrade } from './two-weeks.ts';

const text = texts.signIn;

/** The directory for the documents' pictures; without it, each page is checked for violations instead. */
const directory = process.env['DASHBOARD_SCREENSHOTS'];
const sizes = [
  ['desktop', 1280, 860],
  ['tablet', 768, 1024],
  ['phone', 390, 844],
] as const;

withBrowser('every page of the dashboard', () => {
  const settings: Record<string, string> = {
    REFUND_DELAY_SECONDS: '0',
    OIDC_CLIENT_ID: 'payments',
    OIDC_CLIENT_SECRET: 'not asked for',
    OIDC_NAME: 'Acme ID',
  };
  const provider = new OAuth2Server();
  // Started before the world, which needs its address.
  beforeAll(async () => {
    await provider.issuer.keys.generate('RS256');
    await provider.start(undefined, '127.0.0.1');
    settings['OIDC_ISSUER'] = provider.issuer.url = `http://127.0.0.1:${provider.address().port}`;
    provider.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
      Object.assign(token.payload, { email: 'ada@shop.example', email_verified: true });
    });
  });
  afterAll(() => provider.stop());
  const hosted = new HostedPage({ webhooks: true }, settings);
  let merchantId: string;
  let receiver: Receiver;
  let places: [name: string, path: string][];

  beforeAll(async () => {
    const { world } = hosted;
    merchantId = await world.merchant();
    await world.database.query(`UPDATE merchants SET name = 'Corner Roasters' WHERE id = $1`, [merchantId]);
    await world.database.query(
      `UPDATE merchant_settings SET time_zone = 'America/Sao_Paulo' WHERE merchant_id = $1`,
      [merchantId],
    );
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    receiver = await createReceiver((delivery, response) => {
      const fails = delivery.event.type === 'refund.created';
      response.writeHead(fails ? 500 : 200, { 'content-type': 'text/plain' });
      response.end(fails ? 'the stock service is away' : 'thanks');
    });
    const endpoint = await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
    await twoWeeksOfTrade(world, shop);
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
    await keyed(shop, '/v1/payment-links', {
      ...{ amountCents: 4_200, currency: 'USD', reference: 'workshop-may', description: 'Workshop, 9 May' },
      ...{ successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/workshops' },
      ...{ maxPayments: 20, expiresAt: '2199-05-09T03:00:00Z' },
    });
    const pending = await shop.create({ reference: 'order-1031', amountCents: 12_900 });
    const event = await world.database.query<{ id: string }>(
      `SELECT id FROM events WHERE payment_id = $1 AND type = 'payment.paid'`,
      [paid[0]],
    );
    // Makes requests that fail, and waits until the log has them.
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
    await ownConnector(world, merchantId, 'live', 'unknown');
    const key = await world.database.query<{ id: string }>('SELECT id FROM api_keys WHERE merchant_id = $1', [
      merchantId,
    ]);
    for (const name of ['Corner Roasters of the Old Harbour', 'A second shop with a name that is long']) {
      const shared = await world.merchant();
      await world.database.query('UPDATE merchants SET name = $2 WHERE id = $1', [shared, name]);
      await ownerLink(world, shared);
      const { rows } = await world.database.query<{ id: string }>(
        'SELECT id FROM members WHERE merchant_id = $1',
        [shared],
      );
      await setMemberEmail(world.database, shared, rows[0]?.id ?? '', 'ada@shop.example', byOperator());
    }
    places = [
      ['home', ''],
      ['payments', '/payments'],
      ['payment-links', '/payment-links'],
      ['payments-found', '/payments?q=ada@example.org&status=paid&method=card'],
      ['payments-none', '/payments?q=nothing-like-it'],
      ['search', '/search?q=order-10'],
      ['payment', `/payments/${paid[0]}`],
      ['payment-refund', `/payments/${paid[2]}?ask=refund`],
      ['payment-calls', `/payments/${paid[0]}?timeline=calls`],
      ['payments-doubted', '/payments?status=nonsense&from=2026-99-99'],
      ['payment-pending', `/payments/${String(pending.body.data?.['id'])}`],
      ['refunds', '/refunds'],
      ['disputes', '/disputes'],
      ['dispute', `/disputes/${idOf(dispute)}`],
      ['dispute-accept', `/disputes/${idOf(dispute)}?answer=accept`],
      ['payment-disputed', `/payments/${paid[1]}`],
      ['reports', '/reports'],
      ['reports-method', '/reports?by=method&from=2026-01-01'],
      ['reconciliation', '/reports/reconciliation'],
      ['webhooks', '/webhooks'],
      ['endpoint', `/webhooks/${idOf(endpoint)}`],
      ['endpoint-delete', `/webhooks/${idOf(endpoint)}?ask=delete`],
      ['developers', '/developers'],
      ['developers-revoke', `/developers?ask=revoke&id=${key.rows[0]?.id}`],
      ['requests', '/developers/requests'],
      ['requests-none', '/developers/requests?answered=5'],
      ['event', `/events/${event.rows[0]?.id}`],
      ['settings', '/settings'],
      ['branding', '/branding'],
      ['team', '/team'],
      ['confirm', '/confirm'],
      ['password', '/team/password'],
    ];
  });
  afterAll(() => receiver.close());

  /** Returns the violations that axe finds on a page by `rules` (undefined: all of them), and an overflow. */
  async function faultsOf(page: Page, rules: string[] | undefined): Promise<string[]> {
    const wide = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    const wideList = await page.evaluate(
      `Math.max(0, ...[...document.querySelectorAll('.row-links')]
        .filter((list) => getComputedStyle(list).overflowX === 'visible')
        .map((list) => list.scrollWidth - list.clientWidth))`,
    );
    return [
      ...(await accessibilityFaults(page, rules)),
      ...(Number(wide) > 0 ? [`${String(wide)} px too wide`] : []),
      ...(Number(wideList) > 0 ? [`a list ${String(wideList)} px too wide`] : []),
    ];
  }

  /** Takes a picture of a page from its top. */
  async function takePicture(page: Page, path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await dressForPicture(page);
    const { width = 0 } = page.viewportSize() ?? {};
    const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
    const clip = { x: 0, y: 0, width, height: Math.min(whole, maxPictureHeight) };
    await page.screenshot({ path, fullPage: true, clip });
  }

  it.each(['light', 'dark'] as const)(
    'has no accessibility violations and no overflow, %s',
    async (colorScheme) => {
      const found: Record<string, string[]> = {};
      await hosted.inTab(
        async ({ page, complaints }) => {
          const compare = async (name: string): Promise<void> => {
            for (const [size, width, height] of sizes) {
              const picture = `${name}-${size}-${colorScheme}`;
              if (directory !== undefined && !documentedPictures.includes(picture)) continue;
              await page.setViewportSize({ width, height });
              if (directory !== undefined) {
                await takePicture(page, join(directory, `${picture}.png`));
                continue;
              }
              // The markup is the same in both schemes, and at all widths at which the menu folds alike.
              const isWhole = colorScheme === 'light' && size !== 'tablet';
              const faults = await faultsOf(page, isWhole ? undefined : ['color-contrast']);
              if (faults.length > 0) found[`${name} ${size}`] = faults;
            }
          };
          const link = await ownerLink(hosted.world, merchantId);
          const { origin } = new URL(link);
          await page.goto(`${origin}/dashboard/sign-in`);
          await compare('sign-in');
          await page.goto(link);
          for (const [name, path] of places) {
            await page.goto(`${origin}/dashboard/sandbox${path}`);
            await compare(name);
          }
          await page.goto(`${origin}/dashboard/live/payments`);
          await compare('live-empty');
          await page.goto(`${origin}/dashboard/live/settings`);
          await compare('settings-connector');
          await page.goto(`${origin}/dashboard/sandbox/team/password`);
          const secret = Secret.fromBase32(await page.getByTestId('totp-secret').innerText());
          await page.getByLabel(text.login).fill('ada@example.org');
          await page.getByLabel(text.password).fill('a password of the pictures');
          await page.getByLabel(text.appCode).fill(new TOTP({ secret }).generate());
          await page.getByRole('button', { name: text.setPassword }).click();
          await page.getByTestId('recovery-codes').waitFor();
          await compare('recovery-codes');

          await page.context().clearCookies();
          await page.goto(`${origin}/dashboard/sign-in/oidc`);
          await page.getByRole('heading', { name: text.chooseTitle }).waitFor();
          await compare('sign-in-choose');
          expect(complaints).toEqual([]);

          // From here on, the browser logs errors for pages whose status is not 200.
          await page.goto(`${origin}/dashboard/sandbox/nowhere`);
          await compare('nowhere');
          await page.goto(`${origin}/dashboard/link/${'x'.repeat(43)}`);
          await compare('link-over');
          await page.goto(`${origin}/dashboard/sign-in`);
          await page.getByText(text.usePassword).click();
          await page.getByLabel(text.login).fill('stranger@example.org');
          await page.getByLabel(text.password).fill('not the password');
          await page.getByLabel(text.code).fill('000000');
          await page.getByRole('button', { name: text.button, exact: true }).click();
          await page.getByRole('alert').waitFor();
          await compare('sign-in-wrong');
          const closed = await hosted.world.merchant();
          await page.goto(await ownerLink(hosted.world, closed));
          await setMerchantStatus(hosted.world.database, closed, 'disabled', byOperator());
          await page.goto(`${origin}/dashboard/sandbox`);
          await compare('disabled');
        },
        {
          ...(directory === undefined ? { timezoneId: 'America/New_York' } : pictureOptions),
          colorScheme,
        },
      );
      expect(found).toEqual({});
    },
    // Some 40 pages in three widths, each with a check for violations.
    600_000,
  );
});
