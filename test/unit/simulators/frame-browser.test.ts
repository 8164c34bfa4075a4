import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { accessibilityFaults, launchBrowser, startSite, withBrowser } from '../../support/browser.ts';
import { until, World, type TestSession } from '../../support/simulators.ts';

interface Heard {
  source: string;
  v: number;
  type: string;
  valid?: boolean;
  token?: string;
  reference?: string;
  code?: string;
  height?: number;
  origin: string;
}

withBrowser('the hosted fields in a browser', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let shop: Awaited<ReturnType<typeof startSite>>;
  let shopOrigin: string;
  let page: Page;
  let frame: FrameLocator;
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    world = await World.start();
    browser = await launchBrowser();
    context = await browser.newContext();
    shop = await startSite();
    shopOrigin = shop.origin;
  }, 30_000);

  afterAll(async () => {
    await browser.close();
    shop.close();
    await world.stop();
  });

  afterEach(() => page.close());

  /** Opens a shop page that frames the card form of `session` and keeps what the frame says. */
  const open = async (
    session: TestSession,
    of: { init?: boolean; locale?: string; parent?: string } = {},
  ): Promise<void> => {
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    requests.length = 0;
    complaints.length = 0;
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    await page.goto(shopOrigin);
    const src = `${world.vaultUrl}/frame/${session.reference}?parent=${encodeURIComponent(of.parent ?? shopOrigin)}`;
    const init =
      of.init === false
        ? null
        : {
            source: 'cardvault-parent',
            v: 1,
            type: 'init',
            frameKey: session.frameKey,
            locale: of.locale ?? 'en',
          };
    const order = JSON.stringify({ src, init, vaultOrigin: new URL(src).origin });
    await page.evaluate(`(${openFrame})(${order})`);
    frame = page.frameLocator('iframe[title="Card"]');
  };
  const heard = async (): Promise<Heard[]> => page.evaluate('globalThis.heard');
  const hear = (type: string) =>
    until(async () => (await heard()).findLast((message) => message.type === type));
  const send = (message: object, origin = new URL(world.vaultUrl).origin) =>
    page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(message)}, ${JSON.stringify(origin)})`,
    );
  const submit = () => send({ source: 'cardvault-parent', v: 1, type: 'submit' });
  const input = (name: string) => frame.locator(`input[name="${name}"]`);
  const fill = async (number: string, over: Record<string, string> = {}) => {
    const year = String((new Date().getUTCFullYear() + 1) % 100);
    const card = {
      card_number: number,
      card_expiry_month: '12',
      card_expiry_year: year,
      card_cvv: '735',
      ...over,
    };
    for (const [name, value] of Object.entries(card)) await input(name).fill(value);
  };
  const session = (over: object = {}) =>
    world.session({ mode: 'multi', allowedOrigin: shopOrigin, secretSha256: undefined, ...over });

  it('gives the parent a token and nothing of the card, and empties its inputs', async () => {
    const opened = await session();
    await open(opened);
    await fill('4242 4242 4242 4242');
    expect(await hear('validity')).toMatchObject({ source: 'cardvault-frame', v: 1, valid: true });
    await submit();
    const message = await hear('token');
    expect(message).toEqual({
      source: 'cardvault-frame',
      v: 1,
      type: 'token',
      token: expect.stringMatching(/^tok_[0-9A-Za-z]{43}$/),
      reference: opened.reference,
      origin: new URL(world.vaultUrl).origin,
    });
    expect(await world.claim(opened, message.token ?? '')).toMatchObject({
      status: 'accepted',
      card: { last4: '4242' },
    });
    expect(JSON.stringify(await heard())).not.toMatch(/4242 ?4242|735/);
    expect(await input('card_number').inputValue()).toBe('');
    expect(await input('card_cvv').inputValue()).toBe('');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([
      `POST ${world.vaultUrl}/frame/${opened.reference}/capture`,
    ]);
  }, 30_000);

  it('shows the brand, complains when a field is left and takes the complaint back', async () => {
    await open(await session());
    await input('card_number').fill('378282246310005');
    await until(async () => (await frame.locator('#brand').textContent()) === 'Amex');
    await input('card_number').fill('4242');
    await input('card_cvv').focus();
    await until(
      async () =>
        (await frame.locator('#card_number_problem').textContent()) === 'Enter the whole card number.',
    );
    expect(await input('card_number').getAttribute('aria-invalid')).toBe('true');
    await input('card_number').fill('4242424242424242');
    expect(await input('card_number').getAttribute('aria-invalid')).toBeNull();
  }, 30_000);

  it('sends nothing while a field is wrong, and goes to the first wrong one', async () => {
    await open(await session());
    await fill('4242424242424242', { card_expiry_month: '13' });
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'invalid_fields' });
    expect(await frame.locator('input:focus').getAttribute('name')).toBe('card_expiry_month');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  }, 30_000);

  it('a card that is no test card is refused at its field and never leaves a trace', async () => {
    await open(await session());
    await fill('4929420573595709');
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'card_not_supported' });
    expect(await frame.locator('#card_number_problem').textContent()).toContain('test cards');
  }, 30_000);

  it('an access that is over is said so', async () => {
    const opened = await session();
    await open(opened);
    await world.service(`/service/sessions/${opened.reference}/revoke`, { method: 'POST' });
    await fill('4242424242424242');
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'access_over' });
  }, 30_000);

  it('without the key from its parent it captures nothing; a message that is not of the protocol is no key', async () => {
    const opened = await session();
    await open(opened, { init: false });
    await send({ source: 'other', v: 1, type: 'init', frameKey: opened.frameKey });
    await send({ source: 'cardvault-parent', v: 2, type: 'init', frameKey: opened.frameKey });
    await fill('4242424242424242');
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'not_initialised' });
  }, 30_000);

  it('takes no order from a window that is not its parent', async () => {
    const opened = await session();
    await open(opened);
    await fill('4242424242424242');
    await page.evaluate(orderFromAnotherFrame);
    // The frame hears messages in order: once it tells of this change it has heard the order.
    await input('card_cvv').fill('');
    await until(async () => (await hear('validity')).valid === false);
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  }, 30_000);

  it('speaks the language its parent asks for', async () => {
    await open(await session(), { locale: 'pt' });
    await until(
      async () => (await frame.locator('label[for="card_number"]').textContent()) === 'Número do cartão',
    );
    await fill('4242424242424242');
    await submit();
    expect(await hear('token')).toMatchObject({ type: 'token' });
  }, 30_000);

  it('is not shown to a site that the session did not name', async () => {
    await open(await session({ allowedOrigin: 'https://shop.example' }), { parent: 'https://shop.example' });
    await until(async () => complaints.some((text) => text.includes('frame-ancestors')));
    expect(await input('card_number').count()).toBe(0);
    expect(await heard()).toEqual([]);
  }, 30_000);

  it.each(['light', 'dark'] as const)(
    'has no accessibility fault that axe finds (%s)',
    async (colorScheme) => {
      await open(await session());
      await page.emulateMedia({ colorScheme });
      await fill('4242', { card_cvv: '1' });
      await submit();
      await hear('error');
      const inner = page.frames()[1];
      if (!inner) throw new Error('no frame');
      expect(await accessibilityFaults(inner)).toEqual([]);
    },
    30_000,
  );

  it('tells its height', async () => {
    await open(await session());
    const { height } = await hear('resize');
    expect(height).toBeGreaterThan(100);
  }, 30_000);
});

/** Runs in the shop page. */
const openFrame = `({ src, init, vaultOrigin }) => {
  globalThis.heard = [];
  const frame = document.createElement('iframe');
  frame.title = 'Card';
  frame.width = 500;
  frame.height = 400;
  window.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== vaultOrigin) return;
    globalThis.heard.push({ ...event.data, origin: event.origin });
    if (event.data.type === 'ready' && init) frame.contentWindow.postMessage(init, vaultOrigin);
  });
  frame.src = src;
  document.querySelector('main').append(frame);
}`;

/** Runs in the shop page: another frame of the same origin orders a submit. */
const orderFromAnotherFrame = `new Promise((resolve) => {
  const other = document.createElement('iframe');
  other.onload = () => {
    const script = other.contentDocument.createElement('script');
    script.textContent =
      "parent.frames[0].postMessage({ source: 'cardvault-parent', v: 1, type: 'submit' }, '*'); parent.told = true";
    other.contentDocument.body.append(script);
    setTimeout(resolve, 100);
  };
  other.src = location.href;
  document.body.append(other);
})`;
