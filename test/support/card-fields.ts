import type { Page } from 'playwright-core';

/** Fills the vault's card fields inside the page. */
export async function fillCard(page: Page, number = '4242424242424242'): Promise<void> {
  const fields = page.frameLocator('#card-fields iframe');
  await fields.locator('input[name="card_number"]').fill(number);
  await fields.locator('input[name="card_expiry"]').fill('12 / 40');
  await fields.locator('input[name="card_cvv"]').fill(number.startsWith('3') ? '1234' : '123');
}

/** Pays by card on the open page. */
export async function payByCard(page: Page, number?: string): Promise<void> {
  await page.getByTestId('method-card').click();
  await fillCard(page, number);
  await page.getByTestId('pay').click();
}
