import type { Frame, Page } from 'playwright-core';
import { checkBrandingChange } from '../../../src/branding/change.ts';
import { updateBranding } from '../../../src/db/merchants/branding.ts';
import { withBrowser } from '../../support/browser.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { payByCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { call } from '../../support/simulators.ts';
import { dressShop, pageStates } from './page-states.ts';

const kilobyte = 1024;

/** Records the bytes that a browser receives, with headers, by address without secrets. */
async function weigh(page: Page, baseUrl: string, vaultUrl: string) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: true,
  });
  const urls = new Map<string, string>();
  const received: { name: string; bytes: number }[] = [];
  session.on('Network.responseReceived', ({ requestId, response }) => {
    // Responses from the browser's cache were not received.
    if (!response.fromDiskCache) urls.set(requestId, response.url);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId);
    if (url === undefined || encodedDataLength === 0) return;
    const { origin, pathname } = new URL(url);
    if (origin !== baseUrl && origin !== vaultUrl) return;
    received.push({
      name: `${origin === vaultUrl ? 'vault ' : ''}${pathname.replace(/[\w-]{40,}|cap_\w+|[\w-]{20,31}$/, '…')}`,
      bytes: encodedDataLength,
    });
  });
  return received;
}

const total = (received: { bytes: number }[]): number => received.reduce((sum, { bytes }) => sum + bytes, 0);

withBrowser('the appearance and the weight of the hosted page', () => {
  const hosted = new HostedPage();

  it.concurrent(
    'shows Pay without scrolling on a phone of 360 × 740, with three methods, in every language',
    () =>
      hosted.inTab(
        async ({ page }) => {
          const { url } = await hosted.create({
            reference: 'A reference as long as shops have them, 2027-03-14/000042',
          });
          for (const lang of ['en', 'es', 'pt']) {
            await page.goto(`${url}?lang=${lang}`);
            await page.locator('#card-fields iframe.ready').waitFor();
            const box = await page.getByTestId('pay').boundingBox();
            expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(740);
          }
        },
        { viewport: { width: 360, height: 740 } },
      ),
  );

  it.concurrent.each([
    'open',
    'failed-attempt',
    'another-way',
    'wallet',
    'pix',
    'challenge',
    'paid',
    'closed-expired',
  ] as const)('%s does not shift while it loads', (name) =>
    hosted.inTab(async ({ page }) => {
      await page.addInitScript(`
        globalThis.moved = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) globalThis.moved += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });`);
      const { url, shows } = await pageStates[name](hosted);
      for (const [width, lang] of [
        [320, 'pt'],
        [390, 'es'],
        [1280, 'en'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        // The script loads late, as on a slow connection, so that its changes become visible.
        let paint = (): void => undefined;
        const painted = new Promise<void>((resolve) => (paint = resolve));
        await page.unrouteAll();
        await page.route('**/assets/page.js*', async (route) => {
          await painted;
          await route.continue();
        });
        await page.goto(`${url}?lang=${lang}`, { waitUntil: 'commit' });
        await page.locator(shows).first().waitFor();
        await page.evaluate(
          'new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))',
        );
        paint();
        await page.waitForLoadState();
        const fields = page.locator('#card-fields');
        // By then the frame has reported its own height.
        if ((await fields.count()) > 0 && (await fields.isVisible())) {
          await page.locator('#card-fields iframe.ready[style*="block-size"]').waitFor();
        }
        // Web Vitals rates values up to 0.1 as good.
        expect(await page.evaluate('globalThis.moved')).toBeLessThan(0.02);
      }
    }),
  );

  it('loads at most 30 KB at first, vault frame included, and caches unchanged files', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      const received = await weigh(page, hosted.world.baseUrl, hosted.world.vaultUrl);
      await page.goto(url);
      await page.locator('#card-fields iframe.ready').waitFor();
      const first = [...received];
      process.stdout.write(
        `first load: ${(total(first) / kilobyte).toFixed(1)} KB ${JSON.stringify(first)}\n`,
      );
      expect(first.length).toBeGreaterThanOrEqual(5);
      expect(first.some(({ name }) => name.startsWith('vault /frame/assets/frame.js'))).toBe(true);
      expect(total(first)).toBeLessThanOrEqual(30 * kilobyte);
      // A decline reloads nothing; a reload loads the two documents and no file.
      await payByCard(page, '4000000000000002');
      await page.getByTestId('attempt-failed').waitFor();
      await page.reload();
      await page.locator('#card-fields iframe.ready').waitFor();
      const later = received.slice(first.length);
      const isFile = ({ name }: { name: string }) => name.includes('/assets/');
      // The brand's mark was loaded once, when the digits showed it.
      expect(later.filter(isFile).map(({ name }) => name)).toEqual(['vault /frame/assets/visa.svg']);
      expect(total(later.filter(isFile))).toBeLessThanOrEqual(kilobyte);
      expect(total(later.filter((one) => !isFile(one)))).toBeLessThanOrEqual(8 * kilobyte);
    }));

  it.concurrent('shows the amount of a pix in reais, with the rate and its time, and the whole code', () =>
    hosted.inTab(async ({ page }) => {
      const { url, client } = await hosted.create({ amountCents: 4250 });
      await client.pay('pix');
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${url}?lang=pt`);
        await page.getByTestId('state-pix').waitFor();
        expect((await page.getByTestId('pix-amount').textContent())?.replaceAll('\u00a0', ' ')).toBe(
          'R$ 230,86',
        );
        expect(await page.locator('.reais').textContent()).toMatch(/1 USD = R\$.5,4321 cotação das? \d/);
        const code = page.locator('#pix-code');
        expect(await code.inputValue()).toContain('53039865406230.86');
        const hiddenPx = await page.evaluate(
          `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.getElementById('pix-code'))`,
        );
        expect(hiddenPx).toBe(0);
        const [copy, qr] = [
          await page.locator('#copy').boundingBox(),
          await page.locator('.qr').boundingBox(),
        ];
        // The copy button is above the QR code on phones, and beside it on wider screens.
        expect((copy?.y ?? 0) < (qr?.y ?? 0)).toBe(width < 600);
      }
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('#copy').click();
      await page.getByText('Copiado').first().waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
        await page.locator('#pix-code').inputValue(),
      );
    }),
  );

  describe("a shop's branding", () => {
    beforeAll(() => dressShop(hosted));

    it.concurrent('has its logo from this origin, its color also in the card fields, and its links', () =>
      hosted.inTab(async (tab) => {
        const { page } = tab;
        const { url } = await hosted.create();
        await page.goto(url);
        await page.locator('#card-fields iframe.ready').waitFor();
        expect(await page.title()).toBe('Pay Blue Bottle Books');
        const logo = String(await page.locator('img.logo').getAttribute('src'));
        expect(logo).toMatch(/^\/assets\/logo\/[0-9a-f]{64}\.svg$/);
        expect(await page.locator('link[rel="icon"]').getAttribute('href')).toBe(logo);
        expect(await page.evaluate(`document.querySelector('img.logo').naturalWidth`)).toBeGreaterThan(0);
        const answer = await call(hosted.world.baseUrl + logo);
        expect(answer.headers['cache-control']).toContain('immutable');
        expect(answer.headers['content-security-policy']).toContain('sandbox');
        expect(answer.headers['x-content-type-options']).toBe('nosniff');
        const accentOf = (where: Page | Frame | undefined) =>
          where?.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--accent')`);
        expect([await accentOf(page), await accentOf(page.frames()[1])]).toEqual(['#0f766e', '#0f766e']);
        await page.emulateMedia({ colorScheme: 'dark' });
        const dark = await accentOf(page);
        expect(dark).not.toBe('#0f766e');
        // The frame repaints a moment later.
        await eventually(async () => (await accentOf(page.frames()[1])) === dark || undefined);
        expect(await page.getByText('Will appear on your statement as BLUEBOTTLE BOOKS').isVisible()).toBe(
          true,
        );
        expect(await page.getByRole('link', { name: 'Help' }).getAttribute('href')).toBe(
          'mailto:help@bluebottle.example',
        );
        expect(tab.complaints).toEqual([]);
        expect(
          tab.requests.every(
            (request) =>
              [hosted.world.baseUrl, hosted.world.vaultUrl].includes(new URL(request.url).origin) ||
              request.url.startsWith('data:'),
          ),
        ).toBe(true);
      }),
    );

    it.concurrent('has a receipt that prints without buttons and links', () =>
      hosted.inTab(async ({ page }) => {
        const { url } = await pageStates.paid(hosted);
        await page.goto(url);
        await page.emulateMedia({ media: 'print' });
        for (const gone of ['back-to-shop']) expect(await page.getByTestId(gone).isVisible()).toBe(false);
        expect(await page.locator('#print, .languages, .deadline').locator('visible=true').count()).toBe(0);
        const receipt = await page.locator('body').innerText();
        const parts = ['Blue Bottle Books', '$42.50', 'Visa ···· 4242', 'Payment reference', 'BB-1042'];
        const lines = ['The Left Hand of Darkness, hardcover', 'Bookmark × 3', '$24.50'];
        const reference = await page.getByTestId('short-reference').innerText();
        expect(reference).toMatch(/^(?=.*\d)[A-Z0-9]{4}-[A-Z0-9]{4}$/);
        for (const part of [...parts, ...lines, reference]) expect(receipt).toContain(part);
        // Printed pages are light, even when the system or the shop chose dark.
        for (const theme of ['', '&theme=dark']) {
          await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
          await page.goto(`${url}?lang=en${theme}`);
          expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(22, 28, 38)');
          await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
          expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(238, 242, 247)');
        }
      }),
    );
  });

  it.concurrent('shows what is bought: open beside the payment, folded on a phone, never twice', () =>
    hosted.inTab(async ({ page }) => {
      const item = { name: 'The Left Hand of Darkness', quantity: 1, amountCents: 2_500 };
      const { url, client } = await hosted.create({ lineItems: [item] });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(url);
      const name = page.getByText(item.name).locator('visible=true');
      expect(await name.count()).toBe(1);
      // The left column is not empty: no gap in it is higher than 40 % of the window.
      const [card, foot] = [
        await page.locator('.bought').boundingBox(),
        await page.locator('.foot span').boundingBox(),
      ];
      const gap = (foot?.y ?? 800) - ((card?.y ?? 0) + (card?.height ?? 0));
      expect(gap / 800).toBeLessThanOrEqual(0.4);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await name.count()).toBe(0);
      await page.locator('.bought summary').click();
      expect(await name.count()).toBe(1);
      await client.payByCard('4242424242424242');
      await page.goto(url);
      await page.getByTestId('state-paid').waitFor();
      expect(await name.count()).toBe(1);
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(await name.count()).toBe(1);
    }),
  );

  it.concurrent('names what the button does by the chosen method, with and without script', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      await page.goto(url);
      const label = () => page.getByTestId('pay').innerText();
      expect(await label()).toBe('Pay $25.00');
      await page.getByTestId('method-pix').click();
      expect(await label()).toBe('Continue with Pix');
      await page.getByTestId('method-wallet').click();
      expect(await label()).toBe('Continue to Sandbox Wallet');
      const context = await hosted.browser.newContext({ javaScriptEnabled: false });
      const plain = await context.newPage();
      await plain.goto(url);
      expect(await plain.getByTestId('pay').innerText()).toBe('Pay $25.00');
      await plain.getByTestId('method-pix').click();
      expect(await plain.getByTestId('pay').innerText()).toBe('Continue with Pix');
      await context.close();
    }),
  );

  it.concurrent('shows the first letter of a shop without a logo', () =>
    hosted.inTab(async ({ page }) => {
      const { database, baseUrl } = hosted.world;
      const merchant = await hosted.world.merchant();
      await database.query("UPDATE merchants SET name = 'élan' WHERE id = $1", [merchant]);
      const shop = new Shop(baseUrl, await hosted.world.key(merchant, 'sandbox'));
      await page.goto((await hosted.create({}, shop)).url);
      expect(await page.locator('.tile').textContent()).toBe('É');
      expect(await page.locator('link[rel="icon"]').getAttribute('href')).toContain('data:image/svg+xml,');
    }),
  );

  it.concurrent('shows no focus ring on a heading that is focused for screen readers only', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await pageStates['failed-attempt'](hosted);
      await page.goto(`${url}#status`);
      await page.locator('#status').focus();
      expect(await page.evaluate(`getComputedStyle(document.getElementById('status')).outlineStyle`)).toBe(
        'none',
      );
    }),
  );

  it.concurrent('never wraps amounts, also beside a long name', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create({ amountCents: 100_000_000 });
      await page.setViewportSize({ width: 320, height: 640 });
      for (const lang of ['en', 'es', 'pt']) {
        await page.goto(`${url}?lang=${lang}`);
        const lines = await page.evaluate(`document.querySelector('.amount').getClientRects().length`);
        expect(lines).toBe(1);
        expect(await page.evaluate('document.documentElement.scrollWidth <= 320')).toBe(true);
      }
    }),
  );

  describe('a logo', () => {
    let wide: Shop;

    beforeAll(async () => {
      const { world } = hosted;
      const merchantId = await world.merchant();
      const logo = Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 60"><path d="M0 0h400v60H0z"/></svg>',
      );
      const displayName = 'Zwei Brüder Feinkost und Weinhandel am Marktplatz';
      const change = await checkBrandingChange({ displayName, logo }, { allowHttpLoopback: true });
      await updateBranding(world.database, { merchantId, environment: 'sandbox' }, change, byOperator());
      wide = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    });

    it.concurrent('that is wide, beside a long amount, leaves room for the shop’s name', () =>
      hosted.inTab(async ({ page }) => {
        const { url } = await hosted.create({ amountCents: 99_999_999 }, wide);
        for (const [width, lang] of [
          [390, 'en'],
          [390, 'es'],
          [320, 'es'],
        ] as const) {
          await page.setViewportSize({ width, height: 740 });
          await page.goto(`${url}?lang=${lang}`);
          const name = await page.locator('.shop-name').boundingBox();
          expect(name?.width).toBeGreaterThanOrEqual(72);
          const amount = await page.locator('.amount').boundingBox();
          expect((amount?.x ?? width) + (amount?.width ?? width)).toBeLessThanOrEqual(width);
        }
      }),
    );

    it.concurrent('stands on a light plate in the dark theme', () =>
      hosted.inTab(
        async ({ page }) => {
          await page.goto((await hosted.create({}, wide)).url);
          const ground = () =>
            page.evaluate("getComputedStyle(document.querySelector('.logo')).backgroundColor");
          expect(await ground()).toBe('rgb(244, 246, 249)');
          await page.emulateMedia({ colorScheme: 'light' });
          expect(await ground()).toBe('rgba(0, 0, 0, 0)');
        },
        { colorScheme: 'dark' },
      ),
    );

    // Not concurrent, because jest refuses a module that is loaded on first use between tests.
    it('for dark pages stands on them without a plate, and the other one in light and in print', () =>
      hosted.inTab(
        async ({ page, complaints }) => {
          const { world } = hosted;
          const merchantId = await world.merchant();
          const [logo, darkLogo] = ['#0f766e', '#5eead4'].map((color) =>
            Buffer.from(
              `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path fill="${color}" d="M4 4h32v32z"/></svg>`,
            ),
          );
          if (!logo || !darkLogo) throw new Error('two logos are made');
          const change = await checkBrandingChange({ logo, darkLogo }, { allowHttpLoopback: true });
          await updateBranding(world.database, { merchantId, environment: 'sandbox' }, change, byOperator());
          const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
          const { url } = await hosted.create({}, shop);
          const shown = async (hash: string | undefined) => {
            await eventually(
              async () =>
                String(await page.evaluate(`document.querySelector('.logo').currentSrc`)).includes(
                  String(hash),
                ) || undefined,
            );
            return page.evaluate("getComputedStyle(document.querySelector('.logo')).backgroundColor");
          };
          const clear = 'rgba(0, 0, 0, 0)';
          await page.goto(url);
          expect(await shown(change.darkLogo?.sha256)).toBe(clear);
          await page.emulateMedia({ colorScheme: 'light' });
          expect(await shown(change.logo?.sha256)).toBe(clear);
          await page.goto(`${url}?theme=dark`);
          expect(await shown(change.darkLogo?.sha256)).toBe(clear);
          await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
          expect(await shown(change.logo?.sha256)).toBe(clear);
          await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
          await page.goto(`${url}?theme=light`);
          expect(await shown(change.logo?.sha256)).toBe(clear);
          expect(complaints).toEqual([]);
        },
        { colorScheme: 'dark' },
      ));
  });
});
