import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTab, type Tab, withBrowser } from '../support/browser.ts';
import { comparePictures, keptPicture, pictureTolerance } from '../support/harness/compare-pictures.ts';
import { ownerLink } from '../support/dashboard.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { HostedPage } from '../support/hosted-page.ts';
import { dressForPicture, pictureOptions } from '../support/page-pictures.ts';
import { picturedPages, picturedShop } from './pictured-shop.ts';
import { steadyPage } from './steady-page.ts';

/** `npm run test:pictures` sets it: `compare`, or `refresh` to replace the pictures. */
const wanted = process.env['PICTURES'];
/** The pages to look at, with commas between them; without it, all of them. */
const only = process.env['PICTURES_ONLY']?.split(',');
const pages = picturedPages.filter((name) => only?.includes(name) ?? true);
const pictures = join(projectRoot, 'test', 'kept-pictures', 'dashboard');
const differences = join(projectRoot, '.cache', 'picture-differences');

const sizes = [
  ['phone', 390, 844],
  ['tablet', 768, 1024],
  ['desktop', 1280, 800],
] as const;
/** Longer pages are cut here, in px: the repository keeps every picture. */
const maxHeight = 1_400;

const describePictures = wanted === undefined ? describe.skip : withBrowser;

describePictures('pictures of the dashboard', () => {
  const hosted = new HostedPage({}, { REFUND_DELAY_SECONDS: '0' });
  let shop: Awaited<ReturnType<typeof picturedShop>>;

  beforeAll(async () => {
    await mkdir(wanted === 'refresh' ? pictures : differences, { recursive: true });
    shop = await picturedShop(hosted.world);
  });

  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    let tab: Tab;
    beforeAll(async () => {
      tab = await openTab(hosted.browser, { ...pictureOptions, colorScheme });
      await tab.page.goto(await ownerLink(hosted.world, shop.merchantId));
    });
    afterAll(() => tab.page.context().close());

    // A test for each page: one that takes long, or fails, leaves the others their time.
    it.each(pages)(
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
          const by = await keepOrCompare(file, await page.screenshot({ fullPage: true, clip }));
          if (by !== null) changed[file] = by;
        }
        // Fonts render differently on other platforms: the pictures were taken on Linux.
        expect(process.platform === 'linux' ? changed : {}).toEqual({});
      },
    );
  });
});

/** Returns how a picture differs from the one that is kept; null: it does not, or it is kept now. */
async function keepOrCompare(file: string, taken: Buffer): Promise<number | string | null> {
  if (wanted === 'refresh') {
    await writeFile(join(pictures, file), keptPicture(taken));
    return null;
  }
  if (!existsSync(join(pictures, file))) return 'not there';
  const found = comparePictures(await readFile(join(pictures, file)), taken);
  if (found === null) {
    await writeFile(join(differences, file), taken);
    return 'another size';
  }
  if (found.share <= pictureTolerance.share) return null;
  await writeFile(join(differences, file), found.marked);
  return found.share;
}
