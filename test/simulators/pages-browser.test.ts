import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults, launchBrowser, startShop, withBrowser } from './browser-support.ts';
import { World, type ChargeView } from './support.ts';

withBrowser('the pages of the network in a browser', () => {
  let world: World;
  let browser: Browser;
  let shop: Awaited<ReturnType<typeof startShop>>;
  let page: Page;

  beforeAll(async () => {
    world = await World.start();
    browser = await launchBrowser();
    shop = await startShop();
  }, 30_000);
  beforeEach(async () => {
    // Every page has to work without a script.
    page = await browser.newPage({ javaScriptEnabled: false });
    page.setDefaultTimeout(5_000);
  });
  afterEach(() => page.close());
  afterAll(async () => {
    await browser.close();
    shop.close();
    await world.stop();
  });

  const challenge = () => world.pay('4000000000003220', { returnUrl: `${shop.origin}/back` });
  const other = async (method: 'wallet' | 'pix') => {
    const session = await world.session();
    const key = `${session.paymentId}:1`;
    const over = { method, cardToken: undefined, returnUrl: `${shop.origin}/back` };
    return { key, charge: (await world.charge(key, world.chargeBody(session, '', over))).json<ChargeView>() };
  };

  it.each([
    ['challenge-approve', 'captured'],
    ['challenge-fail', 'declined'],
    ['challenge-cancel', 'requires_action'],
  ])(
    '%s leads back to the shop, and the confirm is %s',
    async (testId, status) => {
      const { key, charge } = await challenge();
      await page.goto(charge.action?.url ?? '');
      await page.getByTestId(testId).click();
      await page.waitForURL(`${shop.origin}/back`);
      expect(await world.confirm(key)).toMatchObject({ status });
    },
    30_000,
  );

  it('wallet-approve leads back to the shop, paid', async () => {
    const { key, charge } = await other('wallet');
    await page.goto(charge.action?.url ?? '');
    await page.getByTestId('wallet-approve').click();
    await page.waitForURL(`${shop.origin}/back`);
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  }, 30_000);

  it('pix-settle shows that it is done, paid', async () => {
    const { key, charge } = await other('pix');
    await page.goto(charge.action?.url ?? '');
    await page.getByTestId('pix-settle').click();
    await page.getByTestId('return').waitFor();
    expect(await world.lookup(key)).toMatchObject({ status: 'captured' });
  }, 30_000);

  it.each(['light', 'dark'] as const)(
    'no page has an accessibility fault that axe finds (%s)',
    async (colorScheme) => {
      const scripted = await browser.newPage({ colorScheme });
      const open = await challenge();
      const wallet = await other('wallet');
      const pix = await other('pix');
      for (const url of [open.charge, wallet.charge, pix.charge].map(({ action }) => action?.url ?? '')) {
        await scripted.goto(url);
        expect(await accessibilityFaults(scripted)).toEqual([]);
      }
      await scripted.getByTestId('pix-reject').click();
      await scripted.getByTestId('return').waitFor();
      expect(await accessibilityFaults(scripted)).toEqual([]);
      await scripted.goto(`${world.networkUrl}/challenge/unknown`);
      expect(await accessibilityFaults(scripted)).toEqual([]);
      await scripted.close();
    },
    30_000,
  );
});
