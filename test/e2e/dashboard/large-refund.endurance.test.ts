import type { Page } from 'playwright-core';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { freshSignInMs } from '../../../src/domain/members.ts';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { memberWithPassword, password } from '../../support/member-passwords.ts';
import { paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';

withBrowser('a refund of 1,000.00 USD or more', () => {
  const hosted = new HostedPage({}, { REFUND_DELAY_SECONDS: '3600' });

  /** Opens the refund form of a payment of 2,000.00 USD, as a member whose last confirmation is too old. */
  async function openForm(page: Page) {
    const { world } = hosted;
    const member = await memberWithPassword(world);
    const shop = new Shop(world.baseUrl, await world.key(member.merchantId, 'sandbox'));
    const id = await paidPayment(shop, undefined, { amountCents: 200_000 });
    await page.goto(await ownerLink(world, member.merchantId));
    await world.database.query(
      `UPDATE member_sessions s SET confirmed_at = confirmed_at - make_interval(secs => $2)
       FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
      [member.merchantId, freshSignInMs / 1000],
    );
    await page.goto(new URL(`/dashboard/sandbox/payments/${id}`, page.url()).href);
    await page.getByTestId('refund-open').click();
    return member;
  }

  const fill = async (page: Page, amount: string): Promise<void> => {
    await page.getByTestId('refund-amount').fill(amount);
    await page.getByLabel(texts.payments.refundReference).fill('ticket-5');
    await page.getByTestId('refund-submit').click();
  };

  it('asks in a dialog over the form, keeps what was typed, and is made after the confirmation', () =>
    hosted.inTab(async ({ page, complaints }) => {
      const member = await openForm(page);
      await fill(page, '1500.00');
      const dialog = page.locator('dialog.dialog');
      await dialog.getByLabel(texts.signIn.password).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      // Closing the dialog sends nothing, and the form is as it was.
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.getByTestId('refund-amount').inputValue()).toBe('1500.00');
      expect(await page.getByLabel(texts.payments.refundReference).inputValue()).toBe('ticket-5');
      await page.getByTestId('refund-submit').click();
      await dialog.getByLabel(texts.signIn.password).fill(password);
      await dialog.getByLabel(texts.signIn.code).fill(member.recovery[0] ?? '');
      await dialog.getByRole('button', { name: texts.signIn.confirmButton }).click();
      await page.getByText(texts.common.notices.refunded).waitFor();
      expect(await page.locator('main').innerText()).toContain('$1,500.00');
      expect(complaints).toEqual([]);
    }));

  it('of a smaller sum asks nothing', () =>
    hosted.inTab(async ({ page, complaints }) => {
      await openForm(page);
      await fill(page, '999.99');
      await page.getByText(texts.common.notices.refunded).waitFor();
      expect(complaints).toEqual([]);
    }));

  it('asks on a page without script', () =>
    hosted.inTab(
      async ({ page }) => {
        await openForm(page);
        await fill(page, '1500.00');
        await page.waitForURL('**/confirm?*');
        expect(await page.getByText(texts.signIn.confirmContinues).count()).toBe(1);
      },
      { javaScriptEnabled: false },
    ));
});
