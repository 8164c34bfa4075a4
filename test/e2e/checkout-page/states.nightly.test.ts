import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { fillCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { dressShop, pageStates, stateNames } from './page-states.ts';

withBrowser('every state of the hosted page', () => {
  const hosted = new HostedPage();
  const complaints: string[] = [];

  beforeAll(() => dressShop(hosted));

  it.concurrent.each(stateNames)(
    '%s has no accessibility fault in any language, light and dark, and no horizontal scrolling at 320 px',
    (name) =>
      hosted.inTab(
        async (tab) => {
          const { url, shows } = await pageStates[name](hosted);
          const { page } = tab;
          const texts: string[] = [];
          // English is last, because the rest of the test uses the same page.
          for (const lang of ['es', 'pt', 'en']) {
            await page.goto(`${url}?lang=${lang}`);
            await page.locator(shows).first().waitFor();
            expect(await page.locator('html').getAttribute('lang')).toBe(lang);
            expect(await accessibilityFaults(page)).toEqual([]);
            texts.push((await page.locator('main').textContent()) ?? '');
          }
          expect(new Set(texts).size).toBe(3);
          if (name === 'open') await fillCard(page);
          await page.emulateMedia({ colorScheme: 'dark' });
          expect(await accessibilityFaults(page)).toEqual([]);
          for (const width of [320, 360, 768, 1280]) {
            await page.setViewportSize({ width, height: 640 });
            const wide = await page.evaluate(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            );
            expect(wide).toBe(0);
          }
          complaints.push(...tab.complaints);
        },
        { viewport: { width: 390, height: 780 }, colorScheme: 'light' },
      ),
  );

  it('causes no policy violation in the browser console', () => {
    // Chromium reports the 404 of the unknown link.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});
