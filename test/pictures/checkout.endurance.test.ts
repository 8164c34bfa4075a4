import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { qrPath } from '../../src/checkout-page/qr.ts';
import { type Locale, locales } from '../../src/domain/statuses.ts';
import { type StateName, dressShop, pageStates, stateNames } from '../e2e/checkout-page/page-states.ts';
import { withBrowser } from '../support/browser.ts';
import { fillCard } from '../support/card-fields.ts';
import { keptPicture } from '../support/harness/kept-picture.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { HostedPage } from '../support/hosted-page.ts';
import { dressForPicture, pictureOptions } from '../support/page-pictures.ts';
import {
  KeptPictures,
  type Scheme,
  type Size,
  askedPages,
  isAsked,
  isRefresh,
  schemes,
  sizes,
} from './asked.ts';

/*
 * Every state of the checkout in three languages, three widths, light and dark. `npm run test:pictures`
 * compares all of them. A run of all endurance tests compares two of each state: the longest texts on the
 * narrowest screen, which break first, and one other combination, chosen so that all states together show
 * every language, width and theme.
 */

/** A combination in which a state is pictured. */
interface Look {
  locale: Locale;
  size: Size;
  scheme: Scheme;
}

const allLooks: readonly Look[] = locales.flatMap((locale) =>
  sizes.flatMap(([size]) => schemes.map((scheme) => ({ locale, size, scheme }))),
);

/** The bounded part. Spanish has the longest texts. */
function boundedLooks(name: StateName): Look[] {
  const at = stateNames.indexOf(name);
  const [scheme, other] = at % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  return [
    { locale: 'es', size: 'phone', scheme },
    {
      locale: at % 4 < 2 ? 'en' : 'pt',
      size: at % 3 === 0 ? 'tablet' : 'desktop',
      scheme: other,
    },
  ];
}

const fileOf = (name: StateName, { locale, size, scheme }: Look): string =>
  `${name}-${locale}-${size}-${scheme}.png`;

/** The pictures in docs/checkout.md: English, on a phone and a desktop. A refresh replaces them too. */
const documented = join(projectRoot, 'docs', 'checkout');
const isDocumented = ({ locale, size }: Look): boolean => locale === 'en' && size !== 'tablet';

const times: Readonly<Record<Locale, { time: string; day: string }>> = {
  en: { time: '10:34 AM', day: 'Mar 14, 2027, 10:04 AM' },
  es: { time: '10:34 a. m.', day: '14 mar 2027, 10:04 a. m.' },
  pt: { time: '10h34', day: '14 de mar. de 2027, 10h04' },
};
const pixCode =
  '00020101021226580014br.gov.bcb.pix01369b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d5204000053039865406230.865802BR5912SANDBOX SHOP6009SAO PAULO622905251a2B3c4D5e6F7g8H9i0J1k2L363040A1B';

/** Returns a script that replaces the texts that would differ in every picture: ids, times, codes. */
const steady = (locale: Locale): string => `(() => {
  const all = (selector) => document.querySelectorAll(selector);
  const { time, day } = ${JSON.stringify(times[locale])};
  for (const one of all('time')) {
    const [, article = ''] = one.dataset.articles?.split('|') ?? [];
    one.textContent = 'day' in one.dataset ? day : [article, time].filter(Boolean).join(' ');
  }
  for (const quote of all('.quote')) quote.textContent = '0195f3a2-7c44-7b1e-9a51-2f6e5a7c8b90';
  for (const short of all('[data-testid="short-reference"]')) short.textContent = 'KTWZ-7HQ4';
  for (const code of all('#pix-code')) code.value = ${JSON.stringify(pixCode)};
  for (const qr of all('.qr-code')) qr.setAttribute('d', ${JSON.stringify(qrPath(pixCode).path)});
  for (const foot of all('.foot span')) {
    foot.textContent = foot.textContent.replace(/(127\\.0\\.0\\.1|localhost):\\d+/, 'pay.example');
  }
  const countdown = document.querySelector('.urgent #countdown');
  // Replaced by a copy: the page's script continues to count in the old element.
  const left = countdown?.dataset.text.replace('{time}', '3:42');
  countdown?.replaceWith(Object.assign(countdown.cloneNode(), { textContent: left }));
  document.activeElement?.blur();
})()`;

/** Waits until the page is complete. */
async function untilWhole(page: Page, name: StateName): Promise<void> {
  if (name === 'open' || name === 'failed-attempt' || name === 'last-minutes')
    await page.locator('#card-fields iframe.ready').waitFor();
  if (name === 'open') {
    await fillCard(page);
    await page.frameLocator('#card-fields iframe').locator('#mark').waitFor();
  }
  if (name === 'challenge') await page.frameLocator('#challenge').getByTestId('challenge-approve').waitFor();
}

const states = askedPages(stateNames);
const describePictures = states.length > 0 ? withBrowser : describe.skip;

describePictures('pictures of the checkout', () => {
  const hosted = new HostedPage();
  const pictures = new KeptPictures('checkout');

  beforeAll(async () => {
    await dressShop(hosted);
    await pictures.open(hosted.browser.version());
  });

  it.concurrent.each(states.length > 0 ? states : stateNames)(
    '%s is as it was; `npm run test:pictures -- --refresh` replaces its pictures after a reviewed change',
    async (name) => {
      const changed: Record<string, number | string> = {};
      await hosted.inTab(async ({ page }) => {
        const { url, shows } = await pageStates[name](hosted);
        const looks = isAsked ? allLooks : boundedLooks(name);
        for (const locale of locales.filter((one) => looks.some((look) => look.locale === one))) {
          await page.goto(`${url}?lang=${locale}`);
          await page.locator(shows).first().waitFor();
          await untilWhole(page, name);
          await dressForPicture(page);
          for (const look of looks.filter((one) => one.locale === locale)) {
            const [, width = 0, height = 0] = sizes.find(([size]) => size === look.size) ?? [];
            await page.setViewportSize({ width, height });
            await page.emulateMedia({ colorScheme: look.scheme });
            await page.evaluate(steady(locale));
            const taken = await page.screenshot({ fullPage: true });
            const by = await pictures.keepOrCompare(fileOf(name, look), taken);
            if (by !== null) changed[fileOf(name, look)] = by;
            if (isRefresh && isDocumented(look)) {
              await writeFile(
                join(documented, `${name}-${look.size}-${look.scheme}.png`),
                keptPicture(taken),
              );
            }
          }
        }
      }, pictureOptions);
      expect(changed).toEqual({});
    },
    // Concurrent tests wait for each other.
    900_000,
  );

  it('are kept of the states that there are, and no others', async () => {
    const expected = stateNames.flatMap((name) => allLooks.map((look) => fileOf(name, look)));
    const isWhole = states.length === stateNames.length;
    const kept = await readdir(pictures.folder);
    expect(isWhole ? kept.toSorted() : expected.toSorted()).toEqual(expected.toSorted());
  });

  it('show every language, width and theme in the part that every run compares', () => {
    const bounded = stateNames.flatMap(boundedLooks);
    const seen = (of: (look: Look) => string) => new Set(bounded.map(of)).size;
    expect([seen((one) => one.locale), seen((one) => one.size), seen((one) => one.scheme)]).toEqual([
      3, 3, 2,
    ]);
  });
});
