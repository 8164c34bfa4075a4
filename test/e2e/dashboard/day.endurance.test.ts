import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { proves } from '../../support/proves.ts';
import { createReceiver } from '../../support/receiver.ts';
import { paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';

/** Waits for a condition. The test's own time-out ends the wait. */
async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await sleep(50);
}

/** Waits until a page has polled another version and has had time to reload. */
async function sawChange(page: Page, before: string | null): Promise<void> {
  await page.waitForResponse(
    async (answer) =>
      answer.url().endsWith('/version') && ((await answer.json()) as { version: string }).version !== before,
  );
  await page.waitForResponse((answer) => answer.url().endsWith('/version'));
}

withBrowser('a day with the dashboard', () => {
  const hosted = new HostedPage({ webhooks: true }, { REFUND_DELAY_SECONDS: '0' });

  async function signedIn(page: Page): Promise<{ merchantId: string; shop: Shop }> {
    const { world } = hosted;
    const merchantId = await world.merchant({ sandbox: { customMode: true } });
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    await page.goto(await ownerLink(world, merchantId));
    await page.getByTestId('nav-home').waitFor();
    return { merchantId, shop };
  }

  it.each([
    [
      proves(
        'creates a key, adds an endpoint, finds and refunds a payment, and resends its webhook',
        'AUTH-03',
        'HOOK-05',
        'AMB-49',
      ),
      true,
    ],
    [proves('does the same without script', 'AUTH-03', 'HOOK-05', 'AMB-49'), false],
  ])('%s', (_name, javaScriptEnabled) =>
    hosted.inTab(
      async ({ page, complaints }) => {
        const receiver = await createReceiver();
        try {
          await signedIn(page);

          await page.getByTestId('nav-developers').click();
          await page.getByTestId('key-name').fill('Backend');
          await page.getByTestId('key-create').click();
          const key = await page.getByTestId('api-key').innerText();
          const shop = new Shop(hosted.world.baseUrl, key);

          await page.getByTestId('nav-webhooks').click();
          if (!(await page.getByTestId('endpoint-url').isVisible())) {
            await page.getByTestId('endpoint-add').click();
          }
          await page.getByTestId('endpoint-url').fill(receiver.url);
          await page.getByTestId('endpoint-save').click();
          expect(await page.getByTestId('endpoint-secret').innerText()).toMatch(/^whsec_/);

          const id = await paidPayment(shop, undefined, { reference: 'order-7731' });
          await page.getByTestId('nav-payments').click();
          await page.getByTestId('search').fill('order-7731');
          await page.getByTestId('search').press('Enter');
          await page.getByTestId('payment-row').getByRole('link').click();
          expect(page.url()).toContain(id);
          await page.getByTestId('timeline').waitFor();

          await page.getByTestId('refund-open').click();
          await page.getByTestId('refund-amount').fill('10.00');
          // The payment changes meanwhile, and the form loses focus: its values must stay.
          await page.getByRole('heading', { level: 1 }).click();
          const version = await page.locator('[data-version]').getAttribute('data-version');
          await refund(shop, id, { amountCents: 100 });
          if (javaScriptEnabled) await sawChange(page, version);
          expect(await page.getByTestId('refund-amount').inputValue()).toBe('10.00');
          await page.getByTestId('refund-submit').click();
          await page.getByText(texts.common.notices.refunded).waitFor();
          expect((await shop.call('GET', `/v1/payments/${id}/refunds`)).status).not.toBe(401);

          await page.getByTestId('nav-webhooks').click();
          await page.getByRole('link', { name: receiver.url }).click();
          const before = receiver.received.length;
          await page.getByTestId('delivery-row').first().getByTestId('delivery-select').check();
          await page.getByTestId('deliveries-resend').click();
          await page.getByText(texts.common.notices.resent).waitFor();
          await until(() => receiver.received.length > before);

          await page.getByTestId('nav-team').click();
          await page.getByTestId('audit-row').first().waitFor();

          await page.getByTestId('nav-developers').click();
          await page.getByTestId('key-revoke').first().click();
          expect(page.url()).toContain('#asking');
          await page.getByTestId('asking-yes').click();
          await page.getByText(texts.common.notices.keyRevoked).waitFor();
          await page.getByTestId('sign-out').click();
          await page.getByText(texts.signIn.signedOut).waitFor();
          expect(complaints).toEqual([]);
        } finally {
          await receiver.close();
        }
      },
      { javaScriptEnabled },
    ),
  );

  it('leads to every section by the menu of a phone, without script', () =>
    hosted.inTab(
      async ({ page, complaints }) => {
        const link = await ownerLink(hosted.world, await hosted.world.merchant());
        await page.goto(link);
        const section = page.getByTestId('nav-payments');
        await page.locator('main').waitFor();
        expect(await section.isVisible()).toBe(false);
        await page.locator('.menu-toggle summary').click();
        await section.click();
        await page.waitForURL('**/payments');
        expect(await section.isVisible()).toBe(false);
        expect(complaints).toEqual([]);
      },
      { javaScriptEnabled: false, viewport: { width: 390, height: 844 } },
    ));

  it('marks a list that has a new payment, and shows it on a click', () =>
    hosted.inTab(async ({ page, complaints }) => {
      const { shop } = await signedIn(page);
      await page.getByTestId('nav-payments').click();
      const row = page.getByTestId('payment-row').filter({ hasText: 'order-90001' });
      await paidPayment(shop, undefined, { reference: 'order-90001' });
      await page.getByRole('link', { name: texts.common.news.payments.one }).click();
      await row.waitFor();
      expect(await page.getByText(texts.common.news.payments.one).count()).toBe(0);
      expect(complaints).toEqual([]);
    }));

  it('finds a payment by the keyboard alone', () =>
    hosted.inTab(async ({ page, complaints }) => {
      const { shop } = await signedIn(page);
      const id = await paidPayment(shop, undefined, { reference: 'order-50033' });
      await page.keyboard.press(process.platform === 'darwin' ? 'Meta+k' : 'Control+k');
      // It opens over the page, whose address stays.
      const url = page.url();
      await page.getByTestId('search-everything').waitFor();
      await page.keyboard.press('Escape');
      await page.getByTestId('search-everything').waitFor({ state: 'hidden' });
      expect(page.url()).toBe(url);
      await page.getByTestId('nav-search').click();
      await page.keyboard.type('5003');
      await page.getByTestId('found-payment').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/payments/${id}`);
      expect(complaints).toEqual([]);
    }));
});
