import { texts } from '../../../src/dashboard/texts/en.ts';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { idOf, keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';

const text = texts.disputes;

withBrowser('the dashboard on a phone', () => {
  const hosted = new HostedPage();

  it.each([true, false])('folds the evidence and the reports, script: %s', (javaScriptEnabled) =>
    hosted.inTab(
      async ({ page, complaints }) => {
        const { world } = hosted;
        const merchantId = await world.merchant();
        const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
        const paid = await paidPayment(shop);
        const dispute = idOf(
          await keyed(shop, `/v1/sandbox/payments/${paid}/disputes`, { reason: 'fraudulent' }),
        );
        await page.goto(await ownerLink(world, merchantId));
        const { origin } = new URL(page.url());
        await page.goto(`${origin}/dashboard/sandbox/disputes/${dispute}`);
        const { shippingTracking } = text.evidenceFields;
        const fold = page.locator('.phone-fold').filter({ hasText: shippingTracking });
        const field = page.getByLabel(shippingTracking);
        // The check runs in the page.
        const faults = async () => (javaScriptEnabled ? accessibilityFaults(page) : []);
        const state = async () => (await fold.innerText()).replace(shippingTracking, '').trim();
        expect([await field.isVisible(), await state()]).toEqual([false, text.notFilled]);
        await fold.locator('summary').click();
        await field.fill('Carrier 7, delivered on Monday');
        expect(await state()).toBe(text.filled);
        expect(await faults()).toEqual([]);
        await fold.locator('summary').click();
        expect([await field.isVisible(), await state()]).toEqual([false, text.filled]);
        await page.getByRole('button', { name: text.saveDraft }).click();
        await page.getByText(texts.common.notices.staged).waitFor();
        expect(await state()).toBe(text.filled);

        await page.goto(`${origin}/dashboard/sandbox/reports`);
        const csv = page.getByTestId('csv-report');
        expect([await csv.isVisible(), await page.getByLabel('From', { exact: true }).isVisible()]).toEqual([
          false,
          false,
        ]);
        // A short report is not folded.
        expect(await page.getByTestId('report-row').isVisible()).toBe(true);
        await page.locator('.phone-fold').filter({ hasText: texts.reports.csvFiles }).click();
        expect(await csv.isVisible()).toBe(true);
        expect(await faults()).toEqual([]);
        expect(complaints).toEqual([]);
      },
      { javaScriptEnabled, viewport: { width: 390, height: 844 } },
    ),
  );
});
