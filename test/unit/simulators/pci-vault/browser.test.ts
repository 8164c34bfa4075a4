import type { Browser, Page } from 'playwright-core';
import { launchBrowser, startSite, withBrowser } from '../../../support/browser.ts';
import { PciVaultWorld } from '../../../support/pci-vault-dialect.ts';
import { until } from '../../../support/simulators.ts';
import type { StripeObject } from '../../../support/stripe-dialect.ts';

interface Heard {
  type: string;
  token?: string;
  reference?: string;
  code?: string;
}

/** Runs in the shop page: frames the card form, sends it its key and keeps what it says. */
const openFrame = `({ src, frameKey }) => {
  globalThis.heard = [];
  const frame = document.createElement('iframe');
  frame.title = 'Card';
  const { origin } = new URL(src);
  window.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    globalThis.heard.push(event.data);
    const init = { source: 'cardvault-parent', v: 1, type: 'init', frameKey };
    if (event.data.type === 'ready') frame.contentWindow.postMessage(init, origin);
  });
  frame.src = src;
  document.querySelector('main').append(frame);
}`;

withBrowser('the dialects in a browser', () => {
  let world: PciVaultWorld;
  let browser: Browser;
  let shop: Awaited<ReturnType<typeof startSite>>;
  let page: Page;

  beforeAll(async () => {
    world = await PciVaultWorld.start();
    browser = await launchBrowser();
    shop = await startSite();
  });
  afterAll(async () => {
    await browser.close();
    shop.close();
    await world.stop();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(shop.origin);
  });
  afterEach(() => page.close());

  const heard = async (type: string): Promise<Heard | undefined> =>
    (await page.evaluate<Heard[]>('globalThis.heard')).find((message) => message.type === type);
  /** Frames the card form of a new endpoint, fills a card in and orders it to be sent. */
  const send = async (frameKey?: string) => {
    const endpoint = await world.endpoint();
    const src = `${world.url}/frame/${endpoint.unique_id}?parent=${encodeURIComponent(shop.origin)}&locale=en`;
    const order = JSON.stringify({ src, frameKey: frameKey ?? endpoint.secret });
    await page.evaluate(`(${openFrame})(${order})`);
    const frame = page.frameLocator('iframe[title="Card"]');
    const year = String((new Date().getUTCFullYear() + 1) % 100);
    await frame.locator('input[name="card_number"]').fill('4242 4242 4242 4242');
    await frame.locator('input[name="card_expiry"]').fill(`12/${year}`);
    await frame.locator('input[name="card_cvv"]').fill('735');
    await until(() => heard('validity'));
    const submit = JSON.stringify({ source: 'cardvault-parent', v: 1, type: 'submit', id: 1 });
    await page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage(${submit}, ${JSON.stringify(world.url)})`,
    );
    return endpoint;
  };

  it("the card form sends a card from the vault's own origin and tells the page token and reference", async () => {
    const endpoint = await send();
    const message = await until(() => heard('token'));
    expect(message).toMatchObject({
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      reference: endpoint.unique_id,
      brand: 'visa',
      last4: '4242',
    });
    expect(JSON.stringify(await page.evaluate('globalThis.heard'))).not.toMatch(/4242 ?4242|735/);
  });

  it('a key that opens nothing is told as an access that is over', async () => {
    await send('not-the-secret');
    expect(await until(() => heard('error'))).toMatchObject({ code: 'access_over' });
  });

  it('the challenge leads back to the shop with the intent, paid', async () => {
    const { id } = await world.stripe.intent('4000000000003220');
    const answer = await world.stripe.post(`/v1/payment_intents/${id}/confirm`, {
      return_url: `${shop.origin}/back`,
    });
    const { next_action: next } = answer.json<{ next_action: { redirect_to_url: { url: string } } }>();
    await page.goto(next.redirect_to_url.url);
    await page.getByTestId('challenge-approve').click();
    await page.waitForURL(`${shop.origin}/back?payment_intent=${id}&**`);
    const read = (await world.stripe.get(`/v1/payment_intents/${id}`)).json<StripeObject>();
    expect(read.status).toBe('succeeded');
  });
});
