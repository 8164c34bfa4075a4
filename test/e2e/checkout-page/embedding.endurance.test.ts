import { randomUUID } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { updateSettings } from '../../../src/db/merchants/merchants.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type Tab, startSite, withBrowser } from '../../support/browser.ts';
import { HostedPage, type Site } from '../../support/hosted-page.ts';
import { proves } from '../../support/proves.ts';
import { byOperator } from '../../support/harness/by-operator.ts';

const exampleShop = fileURLToPath(new URL('../../../examples/embedding-shop/server.mjs', import.meta.url));

withBrowser('embedding the hosted page', () => {
  const hosted = new HostedPage();
  const sites: Site[] = [];
  let example: ChildProcess | null = null;

  beforeAll(async () => {
    sites.push(...(await Promise.all([startSite(), startSite(), startSite()])));
  });
  afterAll(() => {
    example?.kill();
    for (const site of sites) site.close();
  });

  const siteAt = (index: number) => {
    const site = sites[index];
    if (!site) throw new Error('no such site');
    return site;
  };

  /** Returns a shop whose allowlist has `approved`, filled up to `size` with sites that do not exist. */
  const shopWith = async (approved: string[], size = approved.length) => {
    const fillers = Array.from({ length: size - approved.length }, (_, at) => `https://s${at}.shop.example`);
    const merchant = await hosted.world.merchant({
      sandbox: { embeddingOrigins: [...approved, ...fillers] },
    });
    return new Shop(hosted.world.baseUrl, await hosted.world.key(merchant, 'sandbox'));
  };

  const checkoutUrl = async (shop: Shop, fields: Record<string, unknown> = {}) => {
    const answer = await shop.create(fields);
    expect(answer.status).toBe(201);
    return String(answer.body.data?.['checkoutUrl']);
  };

  /** Returns whether the page loads in a frame of the site. A refused frame shows the browser's error. */
  const isFramed = async (tab: Tab, site: Site, url: string) => {
    const path = `/frame/${crypto.randomUUID()}`;
    site.pages[path] = `<iframe title="checkout" src="${url}"></iframe>`;
    const page = await tab.page.context().newPage();
    const refused = new Promise<boolean>((resolve) => {
      page.on('console', (message) => {
        if (message.text().includes('frame-ancestors')) resolve(false);
      });
    });
    await page.goto(site.origin + path);
    const shown = page
      .frameLocator('iframe')
      .locator('#checkout')
      .waitFor({ timeout: 30_000 })
      .then(() => true);
    const framed = await Promise.race([refused, shown.catch(() => false)]);
    await page.close();
    return framed;
  };

  it.concurrent(
    'has the color, corners and font that the shop chose, in the card fields too, and says Cancel',
    () =>
      hosted.inTab(async ({ page }) => {
        const site = siteAt(0);
        const url = await checkoutUrl(await shopWith([site.origin]));
        const options = { checkoutUrl: url, accent: '#FFD400', radius: 'none', font: 'serif' };
        site.pages['/look'] =
          `<div id="place"></div><script src="${hosted.world.baseUrl}/assets/embed.js"></script>
        <script>CardPayments.embed({ ...${JSON.stringify(options)}, container: document.getElementById('place') });</script>`;
        await page.goto(`${site.origin}/look`);
        const shown = page.frameLocator('iframe');
        await shown.locator('#card-fields iframe.ready').waitFor();
        const look = async (locator: string, of = shown) =>
          of.locator(locator).evaluate((element) => {
            const { backgroundColor, borderRadius, fontFamily } = getComputedStyle(element);
            return { backgroundColor, borderRadius, isSerif: fontFamily.startsWith('Georgia') };
          });
        expect(await look('#pay')).toEqual({
          backgroundColor: 'rgb(255, 212, 0)',
          borderRadius: '0px',
          isSerif: true,
        });
        const fields = shown.frameLocator('#card-fields iframe');
        expect(await look('.card_number', fields)).toMatchObject({ borderRadius: '0px', isSerif: true });
        expect(await shown.getByTestId('cancel').innerText()).toBe('Cancel');
        // It stays so after the page has reloaded itself.
        await shown.getByRole('link', { name: 'Español' }).click();
        await shown.locator('html[lang="es"]').waitFor();
        expect(await look('#pay')).toMatchObject({
          backgroundColor: 'rgb(255, 212, 0)',
          borderRadius: '0px',
        });
      }),
  );

  it.concurrent(
    proves(
      'only the site that the payment names may frame it, not another approved one',
      'EMBED-02',
      'PAGE-06',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const [named, other] = [siteAt(0), siteAt(1)];
        const shop = await shopWith([named.origin, other.origin]);
        const url = await checkoutUrl(shop, { embeddingOrigin: named.origin });
        expect(await isFramed(tab, named, url)).toBe(true);
        expect(await isFramed(tab, other, url)).toBe(false);
      }),
  );

  it.concurrent.each([
    {
      case: 'a different port',
      origin: (own: string) => own.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
    },
    { case: 'another scheme', origin: (own: string) => own.replace('http:', 'https:') },
    { case: 'another host', origin: (own: string) => own.replace('127.0.0.1', 'localhost') },
  ])(
    proves('$case is not the approved site: refused at creation with field embeddingOrigin', 'EMBED-02'),
    async ({ origin }) => {
      const shop = await shopWith([siteAt(0).origin]);
      const answer = await shop.create({ embeddingOrigin: origin(siteAt(0).origin) });
      expect([answer.status, answer.body.error?.code, answer.body.error?.field]).toEqual([
        422,
        'validation_failed',
        'embeddingOrigin',
      ]);
    },
  );

  it.concurrent(
    proves(
      'without a named site, each of 20 listed sites may frame the page and an unlisted one may not',
      'EMBED-04',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const shop = await shopWith([siteAt(0).origin, siteAt(1).origin], 20);
        const url = await checkoutUrl(shop);
        expect(await isFramed(tab, siteAt(0), url)).toBe(true);
        expect(await isFramed(tab, siteAt(1), url)).toBe(true);
        expect(await isFramed(tab, siteAt(2), url)).toBe(false);
      }),
  );

  it.concurrent(
    proves(
      'with 21 listed sites only a named one may frame the page; without a name it cannot be framed',
      'EMBED-03',
      'EMBED-05',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const shop = await shopWith([siteAt(0).origin], 21);
        expect(
          await isFramed(tab, siteAt(0), await checkoutUrl(shop, { embeddingOrigin: siteAt(0).origin })),
        ).toBe(true);
        const alone = await checkoutUrl(shop);
        expect(await isFramed(tab, siteAt(0), alone)).toBe(false);
        await tab.page.goto(alone);
        await tab.page.getByTestId('pay').waitFor();
      }),
  );

  describe('in the example shop', () => {
    let shopOrigin = '';
    let shop: Shop;

    beforeAll(async () => {
      const merchant = await hosted.world.merchant();
      const key = await hosted.world.key(merchant, 'sandbox');
      shop = new Shop(hosted.world.baseUrl, key);
      example = spawn(process.execPath, [exampleShop], {
        env: { CARD_PAYMENTS_URL: hosted.world.baseUrl, CARD_PAYMENTS_API_KEY: key, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: example.stdout ?? process.stdin });
      for await (const line of lines) {
        shopOrigin = line.replace('shop at ', '');
        break;
      }
      const change = { embeddingOrigins: [shopOrigin] };
      await updateSettings(hosted.world.database, merchant, 'sandbox', change, byOperator());
    });

    const checkout = (page: Page) => page.frameLocator('#checkout iframe');
    /** Returns the payment that the frame shows. */
    const paymentId = async (page: Page) => {
      const id = await checkout(page).locator('#checkout').getAttribute('data-payment-id');
      if (id === null) throw new Error('the page names no payment');
      return id;
    };
    const payByCard = async (page: Page, number: string) => {
      const card = checkout(page).frameLocator('#card-fields iframe');
      await card.locator('input[name="card_number"]').fill(number);
      await card.locator('input[name="card_expiry"]').fill('12 / 40');
      await card.locator('input[name="card_cvv"]').fill('123');
      await checkout(page).getByTestId('pay').click();
    };

    it.concurrent(
      'pays inside the shop, with the step at the bank; the shop trusts its own server only',
      () =>
        hosted.inTab(async (tab) => {
          await tab.page.goto(`${shopOrigin}/`);
          await tab.page.getByText('Check out').click();
          const id = await paymentId(tab.page);
          await payByCard(tab.page, '4000000000003220');
          await checkout(tab.page).frameLocator('#challenge').getByTestId('challenge-approve').click();
          await tab.page.waitForURL(`${shopOrigin}/thanks?*`);
          expect(await tab.page.locator('#order-status').textContent()).toContain('paid');
          expect((await ledger(hosted.world.networkUrl, id)).charges.map(({ status }) => status)).toEqual([
            'captured',
          ]);
          expect(tab.complaints).toEqual([]);
        }),
    );

    it.concurrent('approves a wallet on its own page; a forged return marks no order as paid', () =>
      hosted.inTab(async (tab) => {
        const order = 'b0c4a7f2-5d1e-4a53-9f0e-6f3f1c8f0001';
        await tab.page.goto(`${shopOrigin}/pay?order=${order}`);
        await checkout(tab.page).getByTestId('method-wallet').click();
        await hosted.inTab(async (forged) => {
          await forged.page.goto(`${shopOrigin}/thanks?order=${order}&status=paid`);
          expect(await forged.page.locator('#order-status').textContent()).toBe('The payment is pending.');
        });
        await checkout(tab.page).getByTestId('pay').click();
        // The shop's window goes to the wallet, which refuses to be framed.
        await tab.page.getByTestId('wallet-approve').click();
        await tab.page.waitForURL(`${shopOrigin}/thanks?*`);
        expect(await tab.page.locator('#order-status').textContent()).toContain('paid');
      }),
    );

    it.concurrent('cancel sends the shop page to cancelUrl and leaves the payment pending', () =>
      hosted.inTab(async (tab) => {
        await tab.page.goto(`${shopOrigin}/pay?order=${crypto.randomUUID()}`);
        const id = await paymentId(tab.page);
        await checkout(tab.page).getByTestId('cancel').click();
        await tab.page.waitForURL(`${shopOrigin}/?order=*`);
        expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      }),
    );

    it.concurrent(
      'the frame has the height of the page at every width, no scroll bar, and the background of the shop',
      () =>
        hosted.inTab(async ({ page }) => {
          for (const step of ['card', 'pix'] as const) {
            await page.goto(`${shopOrigin}/pay?order=${randomUUID()}`);
            await checkout(page).locator('#card-fields iframe.ready').waitFor();
            if (step === 'pix') {
              await checkout(page).getByTestId('method-pix').click();
              await checkout(page).getByTestId('pay').click();
              await checkout(page).getByTestId('state-pix').waitFor();
            }
            for (const scheme of ['light', 'dark'] as const) {
              await page.emulateMedia({ colorScheme: scheme });
              for (const width of [320, 360, 768, 1280]) {
                await page.setViewportSize({ width, height: 900 });
                await eventually(async () => {
                  const [outer, inner] = await Promise.all([
                    page.evaluate(`document.querySelector('#checkout iframe').clientHeight`),
                    page.frames()[1]?.evaluate(`[
                    document.documentElement.scrollHeight, document.documentElement.clientHeight,
                    document.documentElement.scrollWidth - document.documentElement.clientWidth,
                    Math.ceil(document.getElementById('checkout').getBoundingClientRect().height)]`),
                  ]);
                  const [scrolls, shows, wider, content] = inner as number[];
                  const fits = scrolls === shows && wider === 0 && content === outer;
                  return fits ? true : undefined;
                });
              }
            }
            expect(
              await page
                .frames()[1]
                ?.evaluate(
                  `['documentElement', 'body'].map((name) => getComputedStyle(document[name]).backgroundColor)`,
                ),
            ).toEqual(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
            // The frame uses the scheme of the shop around it; a frame in another scheme is not transparent.
            expect(
              await page.evaluate(`getComputedStyle(document.querySelector('#checkout iframe')).colorScheme`),
            ).toBe(await page.frames()[1]?.evaluate('document.documentElement.dataset.theme'));
          }
        }),
    );

    it.concurrent('ignores messages from other origins', () =>
      hosted.inTab(async (tab) => {
        await tab.page.goto(`${shopOrigin}/pay?order=${crypto.randomUUID()}`);
        await checkout(tab.page).getByTestId('pay').waitFor();
        const address = tab.page.url();
        await tab.page.evaluate(`
        for (const type of ['complete', 'cancel', 'state', 'ready']) for (const v of [1, 2, '1']) {
          window.postMessage({ source: 'card-payments-checkout', v, type, state: 'paid', url: location.origin + '/thanks' }, location.origin);
        }`);
        await tab.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
        expect(tab.page.url()).toBe(address);
        expect(await tab.page.locator('#shop-status').getAttribute('data-state')).toBe('open');
      }),
    );
  });
});
