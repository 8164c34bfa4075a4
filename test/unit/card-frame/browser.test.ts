import type { Browser, Page } from 'playwright-core';
import { launchBrowser, startSite, withBrowser } from '../../support/browser.ts';
import { type RunningCardFrame, startCardFrame } from '../../support/card-frame.ts';
import { PciVaultWorld } from '../../support/pci-vault-dialect.ts';
import { until } from '../../support/simulators.ts';
import type { StripeObject } from '../../support/stripe-dialect.ts';

interface Received {
  type: string;
  token?: string;
  reference?: string;
  code?: string;
}

/** Runs in the shop page: frames the card form, sends it its key, and records its messages. */
const openFrame = `({ src, frameKey }) => {
  globalThis.received = [];
  const frame = document.createElement('iframe');
  frame.title = 'Card';
  const { origin } = new URL(src);
  window.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    globalThis.received.push(event.data);
    const init = { source: 'cardvault-parent', v: 1, type: 'init', frameKey };
    if (event.data.type === 'ready') frame.contentWindow.postMessage(init, origin);
  });
  frame.src = src;
  document.querySelector('main').append(frame);
}`;

withBrowser('the card frame and the dialects in a browser', () => {
  let world: PciVaultWorld;
  let browser: Browser;
  let shop: Awaited<ReturnType<typeof startSite>>;
  let page: Page;
  let cardFrame: RunningCardFrame;
  const requests: { url: string; body: string }[] = [];

  beforeAll(async () => {
    world = await PciVaultWorld.start();
    browser = await launchBrowser();
    shop = await startSite();
    cardFrame = await startCardFrame({ parentOrigin: shop.origin, vaultUrl: world.url });
  });
  afterAll(async () => {
    await browser.close();
    await cardFrame.close();
    shop.close();
    await world.stop();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    requests.length = 0;
    page.on('request', (request) => requests.push({ url: request.url(), body: request.postData() ?? '' }));
    await page.goto(shop.origin);
  });
  afterEach(() => page.close());

  const received = async (type: string): Promise<Received | undefined> =>
    (await page.evaluate<Received[]>('globalThis.received')).find((message) => message.type === type);
  const src = (id: string, more = '') =>
    `${cardFrame.url}/frame/${id}?parent=${encodeURIComponent(shop.origin)}&locale=en${more}`;
  const post = (message: object) =>
    page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(message)}, ${JSON.stringify(cardFrame.url)})`,
    );
  const frame = () => page.frameLocator('iframe[title="Card"]');
  const fill = async () => {
    const year = String((new Date().getUTCFullYear() + 1) % 100);
    await frame().locator('input[name="card_number"]').fill('4242 4242 4242 4242');
    await frame().locator('input[name="card_expiry"]').fill(`12/${year}`);
    await frame().locator('input[name="card_cvv"]').fill('735');
    await until(() => received('validity'));
  };
  /** Frames the card form of a new endpoint, enters a card and orders its capture. */
  const send = async (frameKey?: string) => {
    const endpoint = await world.endpoint();
    const order = JSON.stringify({ src: src(endpoint.unique_id), frameKey: frameKey ?? endpoint.secret });
    await page.evaluate(`(${openFrame})(${order})`);
    await fill();
    await post({ source: 'cardvault-parent', v: 1, type: 'submit', id: 1 });
    return endpoint;
  };

  it('sends the card from the frame to the vault only; the page receives token and reference', async () => {
    const endpoint = await send();
    const message = await until(() => received('token'));
    expect(message).toMatchObject({
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      reference: endpoint.unique_id,
      brand: 'visa',
      last4: '4242',
    });
    expect(JSON.stringify(await page.evaluate('globalThis.received'))).not.toMatch(/4242 ?4242|\b735\b/);
    const withCard = requests.filter(({ url, body }) => /4242 ?4242 ?4242/.test(url + body));
    expect(withCard.map(({ url }) => url)).toEqual([
      `${world.url}/v1/capture/${endpoint.unique_id}?reference=${endpoint.unique_id}`,
    ]);
    // No address contains the vault's key either.
    expect(requests.filter(({ url }) => url.includes(endpoint.secret))).toEqual([]);
  });

  it('reports an unknown key as expired access', async () => {
    await send('not-the-secret');
    expect(await until(() => received('error'))).toMatchObject({ code: 'access_over' });
  });

  it('reports a deleted capture address as expired access', async () => {
    const endpoint = await world.endpoint();
    const order = JSON.stringify({ src: src(endpoint.unique_id), frameKey: endpoint.secret });
    await page.evaluate(`(${openFrame})(${order})`);
    await fill();
    await world.ask('DELETE', `/v1/capture/${endpoint.unique_id}`);
    await post({ source: 'cardvault-parent', v: 1, type: 'submit', id: 1 });
    expect(await until(() => received('error'))).toMatchObject({ code: 'access_over' });
  });

  it('allows a script in the frame no other destination for the card', async () => {
    const { unique_id: id, secret: frameKey } = await world.endpoint();
    await page.evaluate(`(${openFrame})(${JSON.stringify({ src: src(id), frameKey })})`);
    await fill();
    const [, inner] = page.frames();
    const tried = await inner?.evaluate(`Promise.all(
      ['${shop.origin}/ok', '${cardFrame.url}/healthz', '${world.stripe.url}/ledger'].map((address) =>
        fetch(address, { mode: 'no-cors' }).then(() => 'sent', () => 'refused')))`);
    expect(tried).toEqual(['refused', 'refused', 'refused']);
  });

  it('is framed by the checkout page only', async () => {
    const { unique_id: id, secret: frameKey } = await world.endpoint();
    const stranger = await startSite();
    try {
      await page.goto(stranger.origin);
      await page.evaluate(`(${openFrame})(${JSON.stringify({ src: src(id), frameKey })})`);
      await until(async () => page.frames()[1]?.url().startsWith('chrome-error:'));
      expect(await page.evaluate('globalThis.received')).toEqual([]);
    } finally {
      stranger.close();
    }
  });

  it('returns from the challenge to the shop with the paid intent', async () => {
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
