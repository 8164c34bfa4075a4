import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { qrPath } from '../../../src/checkout-page/qr.ts';
import { withBrowser } from '../../support/browser.ts';
import { fillCard } from '../../support/card-fields.ts';
import { comparePictures, pictureTolerance } from '../../support/harness/compare-pictures.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { dressForPicture, pictureOptions } from '../../support/page-pictures.ts';
import { type StateName, dressShop, pageStates, stateNames } from './page-states.ts';

/** `npm run docs:checkout-screenshots` sets this variable to replace the pictures. */
const isRefresh = process.env['CHECKOUT_SCREENSHOTS'] !== undefined;
const pictures = process.env['CHECKOUT_SCREENSHOTS'] ?? join(projectRoot, 'docs', 'checkout');
const differences = join(projectRoot, '.cache', 'checkout-differences');

const sizes = { phone: { width: 390, height: 780 }, desktop: { width: 1280, height: 800 } } as const;
const schemes = ['light', 'dark'] as const;

/** Replaces the texts that would differ in every picture: ids, times, codes. */
const pixCode =
  '00020101021226580014br.gov.bcb.pix01369b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d5204000053039865406230.865802BR5912SANDBOX SHOP6009SAO PAULO622905251a2B3c4D5e6F7g8H9i0J1k2L363040A1B';
const settle = `(() => {
  for (const time of document.querySelectorAll('time')) {
    time.textContent = 'day' in time.dataset ? 'Mar 14, 2027, 10:04 AM' : '10:34 AM';
  }
  for (const quote of document.querySelectorAll('.quote')) quote.textContent = '0195f3a2-7c44-7b1e-9a51-2f6e5a7c8b90';
  for (const short of document.querySelectorAll('[data-testid="short-reference"]')) short.textContent = 'KTWZ-7HQ4';
  for (const code of document.querySelectorAll('#pix-code')) code.value = ${JSON.stringify(pixCode)};
  for (const qr of document.querySelectorAll('.qr-code')) qr.setAttribute('d', ${JSON.stringify(qrPath(pixCode).path)});
  for (const foot of document.querySelectorAll('.foot span')) foot.textContent = 'Powered by pay.example';
  const countdown = document.querySelector('.urgent #countdown');
  // Replaced by a copy: the page's script continues to count in the old element.
  countdown?.replaceWith(Object.assign(countdown.cloneNode(), { textContent: '3:42 left to pay' }));
  document.activeElement?.blur();
})()`;

withBrowser('pictures of the hosted page', () => {
  const hosted = new HostedPage();

  beforeAll(async () => {
    await dressShop(hosted);
    await mkdir(isRefresh ? pictures : differences, { recursive: true });
  });

  /** Waits until the page is complete. */
  const whole = async (page: Page, name: StateName): Promise<void> => {
    if (name === 'open' || name === 'failed-attempt' || name === 'last-minutes')
      await page.locator('#card-fields iframe.ready').waitFor();
    if (name === 'open') await fillCard(page);
    if (name === 'challenge')
      await page.frameLocator('#challenge').getByTestId('challenge-approve').waitFor();
  };

  const difference = async (file: string, taken: Buffer): Promise<number | 'not there' | 'another size'> => {
    if (!existsSync(join(pictures, file))) return 'not there';
    const found = comparePictures(await readFile(join(pictures, file)), taken);
    if (found === null) return 'another size';
    if (found.share > pictureTolerance.share) await writeFile(join(differences, file), found.marked);
    return found.share;
  };

  it.concurrent.each(stateNames)(
    '%s matches its picture in docs/checkout/; `npm run docs:checkout-screenshots` replaces the pictures after a reviewed change',
    (name) =>
      hosted.inTab(async ({ page }) => {
        const { url, shows } = await pageStates[name](hosted);
        await page.goto(url);
        await page.locator(shows).first().waitFor();
        await whole(page, name);
        await dressForPicture(page);
        const changed: { file: string; by: number | string }[] = [];
        for (const [size, viewport] of Object.entries(sizes)) {
          for (const scheme of schemes) {
            const file = `${name}-${size}-${scheme}.png`;
            await page.setViewportSize(viewport);
            await page.emulateMedia({ colorScheme: scheme });
            await page.evaluate(settle);
            const taken = await page.screenshot({ fullPage: true });
            if (isRefresh) await writeFile(join(pictures, file), taken);
            else changed.push({ file, by: await difference(file, taken) });
          }
        }
        // Fonts render differently on other platforms: the pictures were taken on Linux.
        const compared = process.platform === 'linux' ? changed : [];
        expect(compared.filter(({ by }) => typeof by === 'string' || by > pictureTolerance.share)).toEqual(
          [],
        );
      }, pictureOptions),
    // Concurrent tests wait for each other.
    600_000,
  );
});
