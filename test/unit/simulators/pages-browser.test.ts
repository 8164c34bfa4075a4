import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, launchBrowser, startSite, withBrowser } from '../../support/browser.ts';
import { World, type ChargeView } from '../../support/simulators.ts';

withBrowser('the pages of the network in a browser', () => {
  let world: World;
  let browser: Browser;
  let shop: Awaited<ReturnType<typeof startSite>>;

  beforeAll(async () => {
    world = await World.start();
    browser = await launchBrowser();
    shop = await startSite();
  });
  afterAll(async () => {
    await browser.close();
    shop.close();
    await world.stop();
  });

  /** Gives a test its own page. Every page of the network must work without a script. */
  const inPage = async (
    test: (page: Page) => Promise<void>,
    options: BrowserContextOptions = { javaScriptEnabled: false },
  ): Promise<void> => {
    const page = await browser.newPage(options);
    try {
      await test(page);
    } finally {
      await page.close();
    }
  };
  const challenge = () => world.pay('4000000000003220', { returnUrl: `${shop.origin}/back` });
  const other = async (method: 'wallet' | 'pix') => {
    const session = await world.session();
    const key = `${session.paymentId}:1`;
    const over = { method, cardToken: undefined, returnUrl: `${shop.origin}/back` };
    return { key, charge: (await world.charge(key, world.chargeBody(session, '', over))).json<ChargeView>() };
  };

  it.concurrent.each([
    ['challenge-approve', 'captured'],
    ['challenge-fail', 'declined'],
    ['challenge-cancel', 'requires_action'],
  ])('%s leads back to the shop, and the confirm is %s', (testId, status) =>
    inPage(async (page) => {
      const { key, charge } = await challenge();
      await page.goto(charge.action?.url ?? '');
      await page.getByTestId(testId).click();
      await page.waitForURL(`${shop.origin}/back`);
      expect(await world.confirm(key)).toMatchObject({ status });
    }),
  );

  it.concurrent('wallet-approve leads back to the shop, paid', () =>
    inPage(async (page) => {
      const { key, charge } = await other('wallet');
      await page.goto(charge.action?.url ?? '');
      await page.getByTestId('wallet-approve').click();
      await page.waitForURL(`${shop.origin}/back`);
      expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
    }),
  );

  it.concurrent('pix-settle shows that the pix is paid', () =>
    inPage(async (page) => {
      const { key, charge } = await other('pix');
      await page.goto(charge.action?.url ?? '');
      await page.getByTestId('pix-settle').click();
      await page.getByTestId('return').waitFor();
      expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
    }),
  );

  it.concurrent.each(['light', 'dark'] as const)(
    'no page has an accessibility fault that axe finds (%s)',
    (colorScheme) =>
      inPage(
        async (page) => {
          const open = await challenge();
          const wallet = await other('wallet');
          const pix = await other('pix');
          for (const url of [open.charge, wallet.charge, pix.charge].map(({ action }) => action?.url ?? '')) {
            await page.goto(url);
            expect(await accessibilityFaults(page)).toEqual([]);
          }
          await page.getByTestId('pix-reject').click();
          await page.getByTestId('return').waitFor();
          expect(await accessibilityFaults(page)).toEqual([]);
          await page.goto(`${world.networkUrl}/challenge/unknown`);
          expect(await accessibilityFaults(page)).toEqual([]);
        },
        { colorScheme },
      ),
  );
});
