import type { Tab } from '../support/browser.ts';
import { openTab, withBrowser } from '../support/browser.ts';
import { ownerLink } from '../support/dashboard.ts';
import { HostedPage } from '../support/hosted-page.ts';
import { dressForPicture, pictureOptions } from '../support/page-pictures.ts';
import { KeptPictures, askedPages, isAsked, schemes, sizes } from './asked.ts';
import { picturedPages, picturedShop } from './pictured-shop.ts';
import { steadyPage } from './steady-page.ts';

/** Longer pages are cut here, in px: the repository keeps every picture. */
const maxHeight = 1_400;

const pages = askedPages(picturedPages);
const describePictures = isAsked && pages.length > 0 ? withBrowser : describe.skip;

describePictures('pictures of the dashboard', () => {
  const hosted = new HostedPage({}, { REFUND_DELAY_SECONDS: '0' });
  const pictures = new KeptPictures('dashboard');
  let shop: Awaited<ReturnType<typeof picturedShop>>;

  beforeAll(async () => {
    await pictures.open(hosted.browser.version());
    shop = await picturedShop(hosted.world);
  });

  describe.each(schemes)('%s', (colorScheme) => {
    let tab: Tab;
    beforeAll(async () => {
      tab = await openTab(hosted.browser, { ...pictureOptions, colorScheme });
      await tab.page.goto(await ownerLink(hosted.world, shop.merchantId));
    });
    afterAll(() => tab.page.context().close());

    // A test for each page: one that takes long, or fails, leaves the others their time.
    it.each(pages.length > 0 ? pages : picturedPages)(
      '%s is as it was; `--refresh` replaces its pictures after a reviewed change',
      async (name) => {
        const { page } = tab;
        await page.goto(new URL(page.url()).origin + shop.paths[name]);
        await dressForPicture(page);
        const changed: Record<string, number | string> = {};
        for (const [size, width, height] of sizes) {
          await page.setViewportSize({ width, height });
          await page.evaluate(steadyPage);
          const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
          const clip = { x: 0, y: 0, width, height: Math.min(whole, maxHeight) };
          const file = `${name}-${size}-${colorScheme}.png`;
          const by = await pictures.keepOrCompare(file, await page.screenshot({ fullPage: true, clip }));
          if (by !== null) changed[file] = by;
        }
        expect(changed).toEqual({});
      },
    );
  });
});
