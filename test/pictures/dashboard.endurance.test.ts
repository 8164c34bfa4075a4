import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBrowser } from '../support/browser.ts';
import { comparePictures, keptPicture, pictureTolerance } from '../support/compare-pictures.ts';
import { ownerLink } from '../support/dashboard.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { HostedPage } from '../support/hosted-page.ts';
import { dressForPicture, pictureOptions } from '../support/page-pictures.ts';
import { idOf, keyed, paidPayment, refund } from '../support/refunds-and-disputes.ts';
import { Shop } from '../support/shop.ts';
import { steadyPage } from './steady-page.ts';

/** `npm run test:pictures` sets it: `compare`, or `refresh` to replace the pictures. */
const wanted = process.env['PICTURES'];
const pictures = join(projectRoot, 'test', 'kept-pictures', 'dashboard');
const differences = join(projectRoot, '.cache', 'picture-differences');

const sizes = [
  ['phone', 390, 844],
  ['tablet', 768, 1024],
  ['desktop', 1280, 800],
] as const;
/** Longer pages are cut here, in px: the repository keeps every picture. */
const mostHeight = 1_400;

const describePictures = wanted === undefined ? describe.skip : withBrowser;

describePictures('pictures of the dashboard', () => {
  const hosted = new HostedPage({}, { REFUND_DELAY_SECONDS: '0' });
  let merchantId: string;
  let places: [name: string, path: string][];

  beforeAll(async () => {
    const { world } = hosted;
    await mkdir(wanted === 'refresh' ? pictures : differences, { recursive: true });
    merchantId = await world.merchant();
    await world.database.query(`UPDATE merchants SET name = 'Corner Roasters' WHERE id = $1`, [merchantId]);
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const paid: string[] = [];
    for (const [index, name] of ['Ada Byron', 'Grace Hopper', 'Lin Wei'].entries()) {
      const customer = { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.org` };
      const fields = { reference: `order-10${index + 24}`, amountCents: 1_850 + index * 2_345, customer };
      paid.push(await paidPayment(shop, undefined, fields));
    }
    await refund(shop, paid[0] ?? '', { amountCents: 850, reason: 'requestedByCustomer' });
    const dispute = await keyed(shop, `/v1/sandbox/payments/${paid[1]}/disputes`, { reason: 'fraudulent' });
    await keyed(shop, '/v1/payment-links', {
      ...{ amountCents: 4_200, currency: 'USD', reference: 'workshop-may', description: 'Workshop, 9 May' },
      ...{ successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/workshops' },
    });
    await shop.create({ reference: 'order-1031', amountCents: 12_900 });
    places = [
      ['home', ''],
      ['payments', '/payments'],
      ['payments-none', '/payments?q=nothing-like-it'],
      ['payment', `/payments/${paid[2]}`],
      ['payment-links', '/payment-links'],
      ['dispute', `/disputes/${idOf(dispute)}`],
      ['reports', '/reports'],
      ['webhooks', '/webhooks'],
      ['developers', '/developers'],
      ['settings', '/settings?done=settingsSaved'],
      ['branding', '/branding'],
      ['team', '/team'],
    ];
  });

  it.each(['light', 'dark'] as const)(
    'are as they were, %s; `npm run test:pictures -- --refresh` replaces them after a reviewed change',
    async (colorScheme) => {
      const changed: Record<string, number | string> = {};
      await hosted.inTab(
        async ({ page }) => {
          await page.goto(await ownerLink(hosted.world, merchantId));
          const { origin } = new URL(page.url());
          for (const [name, path] of places) {
            await page.goto(`${origin}/dashboard/sandbox${path}`);
            await dressForPicture(page);
            for (const [size, width, height] of sizes) {
              await page.setViewportSize({ width, height });
              await page.evaluate(steadyPage);
              const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
              const clip = { x: 0, y: 0, width, height: Math.min(whole, mostHeight) };
              const taken = await page.screenshot({ fullPage: true, clip });
              const file = `${name}-${size}-${colorScheme}.png`;
              const by = await keepOrCompare(file, taken);
              if (by !== null) changed[file] = by;
            }
          }
        },
        { ...pictureOptions, colorScheme },
      );
      // Fonts render differently on other platforms: the pictures were taken on Linux.
      expect(process.platform === 'linux' ? changed : {}).toEqual({});
    },
    300_000,
  );
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
