import type { Browser } from 'playwright-core';
import { Shop, eventually, ledger } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { type Tab, launchBrowser, openTab, payByCard, startSite, withBrowser } from './browser.ts';
import { PageClient } from './page-client.ts';

withBrowser('paying on the hosted page', () => {
  let world: World;
  let shop: Shop;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;
  let tab: Tab;

  beforeAll(async () => {
    [world, browser, site] = await Promise.all([createWorld(), launchBrowser(), startSite()]);
    shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await world.close();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
  });
  afterEach(() => tab.page.context().close());

  const create = async (fields: Record<string, unknown> = {}) => {
    const answer = await shop.create({
      successUrl: `${site.origin}/ok?order=1&b=%20c`,
      cancelUrl: `${site.origin}/no?order=1`,
      ...fields,
    });
    const { data } = answer.body;
    if (!data) throw new Error(`create answered ${answer.status} ${answer.text}`);
    return { id: String(data['id']), url: String(data['checkoutUrl']) };
  };
  const captured = async (id: string) =>
    (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;
  const backAtShop = () => tab.page.waitForURL(`${site.origin}/ok?order=1&b=%20c`);

  it('MODE-02, PAGE-01, PAGE-09: a card is paid with one charge and the browser lands on successUrl as it was given', async () => {
    const { id, url } = await create();
    await tab.page.goto(url);
    expect(await tab.page.locator('.amount').textContent()).toContain('$25.00');
    await payByCard(tab.page);
    await backAtShop();
    expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'card', cardLast4: '4242' });
    expect(await captured(id)).toBe(1);
    expect(tab.complaints).toEqual([]);
  });

  it('PAGE-09: a payment that becomes paid while the page loads anew still leads to the shop', async () => {
    const { url } = await create();
    await new PageClient(url, world.vaultUrl).payByCard('4242424242424242');
    await tab.page.goto(`${url}#status`);
    await backAtShop();
    // The plain link shows what became of the payment and stays.
    await tab.page.goto(url);
    await tab.page.getByTestId('state-paid').waitFor();
    expect(await tab.page.getByTestId('back-to-shop').getAttribute('href')).toBe(
      `${site.origin}/ok?order=1&b=%20c`,
    );
  });

  it('AMB-64: a declined card can be followed by another one', async () => {
    const { id, url } = await create();
    await tab.page.goto(url);
    await payByCard(tab.page, '4000000000000002');
    await tab.page.getByTestId('attempt-failed').waitFor();
    expect(await tab.page.getByTestId('attempt-failed').textContent()).toContain('4 more times');
    expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    await payByCard(tab.page);
    await backAtShop();
    expect(await captured(id)).toBe(1);
  });

  it('FLOW-06, PAGE-07: the challenge is answered inside the page, which confirms by itself', async () => {
    const { id, url } = await create();
    await tab.page.goto(url);
    await payByCard(tab.page, '4000000000003220');
    const step = tab.page.frameLocator('#challenge');
    await step.getByTestId('challenge-approve').waitFor();
    expect(await shop.read(id)).toMatchObject({ status: 'requiresAction' });
    // Reload and second device: the same step, no card field.
    await tab.page.reload();
    await step.getByTestId('challenge-approve').waitFor();
    expect(await tab.page.locator('#card-fields').count()).toBe(0);
    await step.getByTestId('challenge-approve').click();
    await backAtShop();
    expect(await captured(id)).toBe(1);
  });

  it('AMB-56: a wallet is approved on its own page', async () => {
    const { id, url } = await create();
    await tab.page.goto(url);
    await tab.page.getByTestId('method-wallet').click();
    await tab.page.getByTestId('pay').click();
    await tab.page.getByTestId('wallet-approve').click();
    await backAtShop();
    expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'wallet' });
    expect(await captured(id)).toBe(1);
  });

  it('AMB-56: a pix is shown as code and QR code, and the page notices when it is settled', async () => {
    const { id, url } = await create();
    await tab.page.goto(url);
    await tab.page.getByTestId('method-pix').click();
    await tab.page.getByTestId('pay').click();
    await tab.page.getByTestId('state-pix').waitFor();
    expect(await tab.page.locator('#pix-code').inputValue()).toMatch(/^000201.*6304[0-9A-F]{4}$/);
    const settle = await tab.page.getByTestId('pix-sandbox').getAttribute('href');
    const bank = await openTab(browser);
    await bank.page.goto(settle ?? '');
    await bank.page.getByTestId('pix-settle').click();
    await backAtShop();
    await bank.page.context().close();
    expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'pix' });
    expect(await captured(id)).toBe(1);
    await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined));
  });
});
