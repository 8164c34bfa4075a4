import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';

const text = texts.branding;
const saved = 'Branding saved.';
/** The directory for the pictures; without it none are taken. */
const directory = process.env['DASHBOARD_SCREENSHOTS'];
/** A square of one red pixel, as a PNG. */
const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

const drawing = (color: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path fill="${color}" d="M4 4h32v32z"/></svg>`,
  );
const darkLogo = drawing('#5eead4');
const whiteLogo = drawing('#fff');

withBrowser('the branding of the checkout', () => {
  const hosted = new HostedPage();

  /** Opens the page as the owner of a new merchant. */
  const open = (act: (page: Page) => Promise<void>) =>
    hosted.inTab(async ({ page, complaints }) => {
      const merchantId = await hosted.world.merchant();
      await page.goto(await ownerLink(hosted.world, merchantId));
      await page.getByTestId('nav-settings').click();
      await page.getByTestId('branding').click();
      await act(page);
      // The browser logs the status of a refused form, which is a page.
      expect(complaints.filter((complaint) => !complaint.includes('status of 422'))).toEqual([]);
    });
  const preview = (page: Page) => page.frameLocator('#branding-preview');

  it('the preview follows what is typed, before it is saved', () =>
    open(async (page) => {
      await preview(page).locator('.shop-name').waitFor();
      await page.getByLabel(text.fields.displayName).fill('Corner Roasters');
      await preview(page).getByText('Corner Roasters', { exact: true }).first().waitFor();
      await page.getByLabel(text.fields.accent, { exact: true }).fill('#fde047');
      await page.getByText(text.onButtons(text.black)).waitFor();
      await page.getByText('In the dark theme, buttons and links are #fde047').waitFor();
      expect(await page.getByLabel(text.picker).inputValue()).toBe('#fde047');
      await page.getByLabel(text.fields.accent, { exact: true }).fill('#fde0');
      await page.getByText(text.noColor).waitFor();
      await page.getByLabel(text.picker).fill('#0f766e');
      await page.getByText(text.onButtons(text.white)).waitFor();
      await page
        .getByLabel(text.fields.logo, { exact: true })
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo });
      await preview(page).locator('.shop img[src^="data:image/png"]').waitFor();
      await page.getByText(text.themes.dark, { exact: true }).click();
      await preview(page).locator('html[data-theme="dark"] .logo:not(.bare)').waitFor();
      await page.getByText(text.themes.light, { exact: true }).click();
      // A logo for dark pages is shown on a dark page at once.
      await page
        .getByLabel(text.fields.darkLogo, { exact: true })
        .setInputFiles({ name: 'dark.svg', mimeType: 'image/svg+xml', buffer: darkLogo });
      await preview(page).locator('html[data-theme="dark"] .logo.bare[src^="data:image/svg"]').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      if (directory) await page.screenshot({ path: join(directory, 'branding-typed.png') });
      await page.getByText(text.sizes.phone).click();
      await page.getByRole('button', { name: texts.common.save }).click();
      await page.getByText(saved).waitFor();
      expect(await page.getByLabel(text.fields.displayName).inputValue()).toBe('Corner Roasters');
      await preview(page).locator('.shop img[src^="/assets/logo/"]').waitFor();
      expect(await page.locator('.logo-ground img[src^="/assets/logo/"]').count()).toBe(2);
      if (directory) await page.screenshot({ path: join(directory, 'branding-saved.png'), fullPage: true });
      await page.getByLabel(text.remove.logo, { exact: true }).check();
      await page.getByRole('button', { name: texts.common.save }).click();
      await preview(page).locator('.shop .tile').waitFor();
      expect(await page.locator('.logo-ground img').count()).toBe(0);
    }));

  it('a logo that cannot be seen on its pages is refused in words', () =>
    open(async (page) => {
      await page
        .getByLabel(text.fields.logo, { exact: true })
        .setInputFiles({ name: 'white.svg', mimeType: 'image/svg+xml', buffer: whiteLogo });
      await page.getByRole('button', { name: texts.common.save }).click();
      const notice = page.getByRole('alert');
      await notice.waitFor();
      expect(await notice.innerText()).toContain('The logo cannot be seen on light pages');
      // The error stands at the field, beside the logo on its background.
      expect(await page.locator('#branding-logo').getAttribute('aria-invalid')).toBe('true');
      expect(await page.locator('#branding-logo-error').innerText()).toBe(await notice.innerText());
      const refused = page.locator('.logo-ground:not(.dark) img[src^="data:image/svg"]');
      expect(await refused.getAttribute('alt')).toBe(text.refused);
      expect(await refused.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      if (directory) await page.screenshot({ path: join(directory, 'branding-refused.png') });
    }));

  it('nothing on the preview can be pressed, and it runs no script', () =>
    open(async (page) => {
      const frame = page.locator('#branding-preview');
      await preview(page).getByTestId('pay').waitFor();
      expect(await frame.evaluate((element: HTMLElement) => element.inert)).toBe(true);
      expect(await preview(page).locator('script').count()).toBe(0);
    }));

  it.each([
    ['desktop', 1280, 860],
    ['tablet', 768, 1024],
    ['phone', 390, 844],
  ])('fits a %s', (name, width, height) =>
    open(async (page) => {
      await page.setViewportSize({ width, height });
      await preview(page).getByTestId('pay').waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      if (directory) await page.screenshot({ path: join(directory, `branding-${name}.png`), fullPage: true });
    }),
  );
});
