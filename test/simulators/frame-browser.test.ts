import type { Browser } from 'playwright-core';
import { accessibilityFaults, launchBrowser, startShop, withBrowser } from './browser-support.ts';
import { until, World, type TestSession } from './support.ts';

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

// Side by side: each test has a page of its own, and waits for the browser more than it works.
withBrowser('the hosted fields in a browser', () => {
  let world: World;
  let browser: Browser;
  let shop: Awaited<ReturnType<typeof startShop>>;
  let shopOrigin: string;
  beforeAll(async () => {
    world = await World.start();
    browser = await launchBrowser();
    shop = await startShop();
    shopOrigin = shop.origin;
  });

  afterAll(async () => {
    await browser.close();
    shop.close();
    await world.stop();
  });

  /** Opens a shop page that frames the card form of `session` and keeps what the frame says. */
  const open = async (
    session: TestSession,
    of: { init?: boolean; locale?: string; parent?: string } = {},
  ) => {
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
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
    const frame = page.frameLocator('iframe[title="Card"]');
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
    return { page, frame, requests, complaints, heard, hear, send, submit, input, fill };
  };
  const session = (over: object = {}) =>
    world.session({ mode: 'multi', allowedOrigin: shopOrigin, secretSha256: undefined, ...over });

  it.concurrent('gives the parent a token and nothing of the card, and empties its inputs', async () => {
    const opened = await session();
    const { requests, heard, hear, submit, input, fill } = await open(opened);
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
  });

  it.concurrent('shows the brand, complains when a field is left and takes the complaint back', async () => {
    const { frame, input } = await open(await session());
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
  });

  it.concurrent('sends nothing while a field is wrong, and goes to the first wrong one', async () => {
    const { frame, requests, hear, submit, fill } = await open(await session());
    await fill('4242424242424242', { card_expiry_month: '13' });
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'invalid_fields' });
    expect(await frame.locator('input:focus').getAttribute('name')).toBe('card_expiry_month');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it.concurrent('a card that is no test card is refused at its field and never leaves a trace', async () => {
    const { frame, hear, submit, fill } = await open(await session());
    await fill('4929420573595709');
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'card_not_supported' });
    expect(await frame.locator('#card_number_problem').textContent()).toContain('test cards');
  });

  it.concurrent('an access that is over is said so', async () => {
    const opened = await session();
    const { hear, submit, fill } = await open(opened);
    await world.service(`/service/sessions/${opened.reference}/revoke`, { method: 'POST' });
    await fill('4242424242424242');
    await submit();
    expect(await hear('error')).toMatchObject({ code: 'access_over' });
  });

  it.concurrent(
    'without the key from its parent it captures nothing; a message that is not of the protocol is no key',
    async () => {
      const opened = await session();
      const { hear, send, submit, fill } = await open(opened, { init: false });
      await send({ source: 'other', v: 1, type: 'init', frameKey: opened.frameKey });
      await send({ source: 'cardvault-parent', v: 2, type: 'init', frameKey: opened.frameKey });
      await fill('4242424242424242');
      await submit();
      expect(await hear('error')).toMatchObject({ code: 'not_initialised' });
    },
  );

  it.concurrent('takes no order from a window that is not its parent', async () => {
    const opened = await session();
    const { page, requests, hear, input, fill } = await open(opened);
    await fill('4242424242424242');
    await page.evaluate(orderFromAnotherFrame);
    // The frame hears messages in order: once it tells of this change it has heard the order.
    await input('card_cvv').fill('');
    await until(async () => (await hear('validity')).valid === false);
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it.concurrent('speaks the language its parent asks for', async () => {
    const { frame, hear, submit, fill } = await open(await session(), { locale: 'pt' });
    await until(
      async () => (await frame.locator('label[for="card_number"]').textContent()) === 'Número do cartão',
    );
    await fill('4242424242424242');
    await submit();
    expect(await hear('token')).toMatchObject({ type: 'token' });
  });

  it.concurrent('is not shown to a site that the session did not name', async () => {
    const { complaints, heard, input } = await open(
      await session({ allowedOrigin: 'https://shop.example' }),
      { parent: 'https://shop.example' },
    );
    await until(async () => complaints.some((text) => text.includes('frame-ancestors')));
    expect(await input('card_number').count()).toBe(0);
    expect(await heard()).toEqual([]);
  });

  it.concurrent.each(['light', 'dark'] as const)(
    'has no accessibility fault that axe finds (%s)',
    async (colorScheme) => {
      const { page, hear, submit, fill } = await open(await session());
      await page.emulateMedia({ colorScheme });
      await fill('4242', { card_cvv: '1' });
      await submit();
      await hear('error');
      const inner = page.frames()[1];
      if (!inner) throw new Error('no frame');
      expect(await accessibilityFaults(inner)).toEqual([]);
    },
  );

  it.concurrent('tells its height', async () => {
    const { hear } = await open(await session());
    const { height } = await hear('resize');
    expect(height).toBeGreaterThan(100);
  });
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
