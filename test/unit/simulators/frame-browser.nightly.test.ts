import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { accessibilityFaults, launchBrowser, startSite, withBrowser } from '../../support/browser.ts';
import { until, World, type TestSession } from '../../support/simulators.ts';

interface FrameMessage {
  source: string;
  v: number;
  type: string;
  valid?: boolean;
  id?: number;
  token?: string;
  reference?: string;
  code?: string;
  height?: number;
  origin: string;
}

const nextYear = String((new Date().getUTCFullYear() + 1) % 100);

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
  });

  afterAll(async () => {
    await browser.close();
    shop.close();
    await world.stop();
  });

  afterEach(() => page.close());

  /** Opens a shop page that frames the card form of `session`, and records the frame's messages. */
  const open = async (
    session: TestSession,
    of: {
      init?: boolean | Record<string, unknown>;
      locale?: string;
      parent?: string;
      width?: number;
      isAwaited?: false;
    } = {},
  ): Promise<void> => {
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    requests.length = 0;
    complaints.length = 0;
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    await page.goto(shopOrigin);
    const parent = encodeURIComponent(of.parent ?? shopOrigin);
    const src = `${world.vaultUrl}/frame/${session.reference}?parent=${parent}&locale=${of.locale ?? 'en'}`;
    const own = typeof of.init === 'object' ? of.init : {};
    const init =
      of.init === false
        ? null
        : { source: 'cardvault-parent', v: 1, type: 'init', frameKey: session.frameKey, ...own };
    const order = JSON.stringify({
      src,
      init,
      vaultOrigin: new URL(src).origin,
      width: of.width ?? 500,
    });
    await page.evaluate(`(${openFrame})(${order})`);
    frame = page.frameLocator('iframe[title="Card"]');
    // It sends messages only to the parent that its session names.
    if (of.parent === undefined && of.isAwaited !== false) await receive('ready');
  };
  const received = async (): Promise<FrameMessage[]> => page.evaluate('globalThis.received');
  const receive = (type: string) =>
    until(async () => (await received()).findLast((message) => message.type === type));
  const send = (message: object, origin = new URL(world.vaultUrl).origin) =>
    page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(message)}, ${JSON.stringify(origin)})`,
    );
  let orders = 0;
  const submit = () => {
    orders += 1;
    return send({ source: 'cardvault-parent', v: 1, type: 'submit', id: orders });
  };
  const input = (name: string) => frame.locator(`input[name="${name}"]`);
  const fill = async (number: string, over: Record<string, string> = {}) => {
    const card = { card_number: number, card_expiry: `12/${nextYear}`, card_cvv: '735', ...over };
    for (const [name, value] of Object.entries(card)) await input(name).fill(value);
  };
  const session = (over: object = {}) =>
    world.session({ mode: 'multi', allowedOrigin: shopOrigin, secretSha256: undefined, ...over });

  /** Runs in the vault's page. */
  const inFrame = async (code: string): Promise<unknown> => page.frames()[1]?.evaluate(code);
  const problem = (name: string) => frame.locator(`#${name}_problem`).textContent();
  const value = (name: string) => input(name).inputValue();
  const focused = () => frame.locator('input:focus').getAttribute('name');

  it('sends the parent a token, brand and last four digits and nothing else of the card, and locks its inputs', async () => {
    const opened = await session();
    await open(opened);
    await fill('4242 4242 4242 4242');
    expect(await receive('validity')).toMatchObject({ source: 'cardvault-frame', v: 1, valid: true });
    await submit();
    const message = await receive('token');
    expect(message).toEqual({
      source: 'cardvault-frame',
      v: 1,
      type: 'token',
      id: orders,
      token: expect.stringMatching(/^tok_[0-9A-Za-z]{43}$/),
      reference: opened.reference,
      brand: 'visa',
      last4: '4242',
      origin: new URL(world.vaultUrl).origin,
    });
    expect(await world.claim(opened, message.token ?? '')).toMatchObject({
      status: 'accepted',
      card: { last4: '4242' },
    });
    // The port of an origin may contain the digits of the security code.
    const messages = JSON.stringify(await received()).replaceAll(/127\.0\.0\.1:\d+/g, '');
    expect(messages).not.toMatch(/4242 ?4242|735/);
    // The fields are locked with the typed values, because a declined card may be corrected.
    expect(await value('card_number')).toBe('4242 4242 4242 4242');
    expect(await input('card_cvv').getAttribute('readonly')).toBe('');
    await send({ source: 'cardvault-parent', v: 1, type: 'unlock' });
    await until(async () => (await input('card_cvv').getAttribute('readonly')) === null);
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([
      `POST ${world.vaultUrl}/frame/${opened.reference}/capture`,
    ]);
  });

  it('shows the brand, shows a problem when a field is left, and removes it when it is solved', async () => {
    await open(await session());
    await input('card_number').fill('378282246310005');
    await until(async () => (await frame.locator('#brand').textContent()) === 'Amex');
    await input('card_number').fill('4242');
    await input('card_cvv').focus();
    await until(async () => (await problem('card_number')) === 'Your card number is incomplete.');
    expect(await input('card_number').getAttribute('aria-invalid')).toBe('true');
    await input('card_number').fill('4242424242424242');
    expect(await input('card_number').getAttribute('aria-invalid')).toBeNull();
  });

  it('sends nothing while a field is wrong, and focuses the first wrong one', async () => {
    await open(await session());
    await fill('4242424242424242', { card_expiry: '13 / 40' });
    await submit();
    expect(await receive('error')).toMatchObject({ code: 'invalid_fields' });
    expect(await frame.locator('input:focus').getAttribute('name')).toBe('card_expiry');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('refuses a card that is no test card at its field, without storing it', async () => {
    await open(await session());
    await fill('4929420573595709');
    await submit();
    expect(await receive('error')).toMatchObject({ code: 'card_not_supported' });
    expect(await problem('card_number')).toContain('4242 4242 4242 4242');
    const list = await frame.locator('#test-cards a').getAttribute('href');
    const cards = await context.newPage();
    await cards.goto(world.vaultUrl + String(list));
    expect(await cards.locator('main').textContent()).toContain('4000 0000 0000 3220');
    await cards.close();
  });

  it('reports expired access', async () => {
    const opened = await session();
    await open(opened);
    await world.service(`/service/sessions/${opened.reference}/revoke`, { method: 'POST' });
    await fill('4242424242424242');
    await submit();
    expect(await receive('error')).toMatchObject({ code: 'access_over' });
  });

  it('captures nothing without the key from its parent, and ignores messages outside the protocol', async () => {
    const opened = await session();
    await open(opened, { init: false });
    await send({ source: 'other', v: 1, type: 'init', frameKey: opened.frameKey });
    await send({ source: 'cardvault-parent', v: 2, type: 'init', frameKey: opened.frameKey });
    await send({ source: 'cardvault-parent', v: 1, type: 'init', frameKey: 7 });
    await fill('4242424242424242');
    await submit();
    expect(await receive('error')).toMatchObject({ code: 'not_initialised' });
  });

  it('ignores messages of windows other than its parent', async () => {
    const opened = await session();
    await open(opened);
    await fill('4242424242424242');
    await page.evaluate(orderFromAnotherFrame);
    // The frame handles messages in order. Once it reports this change, it has handled the order.
    await input('card_cvv').fill('');
    await until(async () => (await receive('validity')).valid === false);
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('uses the language that its parent requests', async () => {
    await open(await session(), { locale: 'pt' });
    await until(
      async () => (await frame.locator('label[for="card_number"]').textContent()) === 'Número do cartão',
    );
    await fill('4242424242424242');
    await submit();
    expect(await receive('token')).toMatchObject({ type: 'token' });
  });

  it('is not shown to a site that the session did not name', async () => {
    await open(await session({ allowedOrigin: 'https://shop.example' }), { parent: 'https://shop.example' });
    await until(async () => complaints.some((text) => text.includes('frame-ancestors')));
    expect(await input('card_number').count()).toBe(0);
    expect(await received()).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility fault that axe finds (%s)',
    async (colorScheme) => {
      await open(await session());
      await page.emulateMedia({ colorScheme });
      await fill('4242', { card_cvv: '1', card_expiry: '1/20' });
      await submit();
      await receive('error');
      const inner = page.frames()[1];
      if (!inner) throw new Error('no frame');
      // The frame is transparent, so the checkout page's own background is behind the text.
      const ground = colorScheme === 'dark' ? '#161d27' : '#ffffff';
      await inner.evaluate(`document.documentElement.style.background = '${ground}'`);
      expect(await accessibilityFaults(inner)).toEqual([]);
    },
  );

  it.each([
    ['5/30', '05 / 30'],
    ['0530', '05 / 30'],
    ['530', '05 / 30'],
    ['12/2030', '12 / 30'],
    ['122030', '12 / 30'],
    ['1/30', '01 / 30'],
  ])('an expiry typed as %s is %s', async (typed, shown) => {
    await open(await session());
    await input('card_expiry').focus();
    await page.keyboard.type(typed);
    expect(await value('card_expiry')).toBe(shown);
  });

  it.each(['13/30', '1330', '130', '19', '00'])('asks for the month when %s is typed', async (typed) => {
    await open(await session());
    await input('card_expiry').focus();
    await page.keyboard.type(typed);
    expect(await problem('card_expiry')).toBe('Check the month. It must be between 01 and 12.');
    expect(await focused()).toBe('card_expiry');
    await input('card_expiry').fill('');
    await page.keyboard.type('1230');
    expect([await value('card_expiry'), await problem('card_expiry')]).toEqual(['12 / 30', '']);
  });

  it.each([
    ['650031', 'Elo'],
    ['636368', 'Elo'],
    ['606282', 'Hipercard'],
    ['601100', 'Discover'],
    ['305693', 'Diners Club'],
    ['624000', 'UnionPay'],
    ['353011', 'JCB'],
  ])('names the brand of %s at six digits, and that %s is not accepted', async (digits, brand) => {
    await open(await session());
    await input('card_number').focus();
    await page.keyboard.type(digits.slice(0, 5));
    expect(await problem('card_number')).toBe('');
    await page.keyboard.type(digits.slice(5));
    expect(await problem('card_number')).toBe(`${brand} isn't accepted here. Try another card.`);
    expect(await frame.locator('#brand').textContent()).toBe(brand);
    await frame.locator('#mark').waitFor();
    expect(await inFrame(`document.getElementById('mark').naturalWidth`)).toBeGreaterThan(0);
    expect(await frame.locator('#test-cards').isVisible()).toBe(true);
    await page.keyboard.press('Backspace');
    expect(await problem('card_number')).toBe('');
  });

  it.each(['4000000000000000006', '6240008631401148006'])(
    'takes the 19 digits of %s as they are typed',
    async (digits) => {
      await open(await session());
      await input('card_number').focus();
      await page.keyboard.type(digits);
      expect((await value('card_number')).replaceAll(' ', '')).toBe(digits);
    },
  );

  it('empties the security code after a decline, and everything for another card', async () => {
    await open(await session());
    await fill('4242424242424242');
    await send({ source: 'cardvault-parent', v: 1, type: 'clear', all: false });
    await until(async () => (await value('card_cvv')) === '');
    expect(await value('card_number')).toBe('4242 4242 4242 4242');
    expect(await receive('validity')).toMatchObject({ valid: false });
    await send({ source: 'cardvault-parent', v: 1, type: 'clear', all: true });
    await until(async () => (await value('card_number')) === '' && (await value('card_expiry')) === '');
    expect(await frame.locator('.problem:visible').count()).toBe(0);
  });

  it.each([
    ['05/30', '05 / 30'],
    ['05-2030', '05 / 30'],
    ['2030-05', '05 / 30'],
    ['05 / 30', '05 / 30'],
  ])('an expiry pasted or filled in as %s is %s', async (pasted, shown) => {
    await open(await session());
    await input('card_expiry').fill(pasted);
    expect(await value('card_expiry')).toBe(shown);
  });

  it('lets typed text be deleted again, digit by digit', async () => {
    await open(await session());
    await input('card_expiry').focus();
    await page.keyboard.type('1230');
    const seen: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      await page.keyboard.press('Backspace');
      seen.push(await value('card_expiry'));
    }
    // The first field is reached backwards from the security code.
    expect(seen).toEqual(['12 / 30', '12 / 3', '12', '1', '', '', '']);
    expect(await focused()).toBe('card_number');
  });

  it('groups the number as it is printed, and keeps the caret where a digit is inserted', async () => {
    await open(await session());
    await input('card_number').fill('378282246310005');
    expect(await value('card_number')).toBe('3782 822463 10005');
    await input('card_number').fill('4242424242424');
    await input('card_number').focus();
    await inFrame(`document.activeElement.setSelectionRange(2, 2)`);
    await page.keyboard.type('9');
    expect(await value('card_number')).toBe('4294 2424 2424 24');
    expect(await inFrame('document.activeElement.selectionStart')).toBe(3);
  });

  it('uses text that was typed before its script ran', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const script = /\/frame\/assets\/frame\.js/u;
    await context.route(script, async (route) => {
      await released;
      await route.continue();
    });
    try {
      await open(await session(), { isAwaited: false });
      await fill('378282246310005', { card_cvv: '7351' });
      expect(await value('card_number')).toBe('378282246310005');
      release();
      await until(async () => (await value('card_number')) === '3782 822463 10005');
      await until(async () => (await frame.locator('#brand').textContent()) === 'Amex');
      expect(await receive('validity')).toMatchObject({ valid: true });
    } finally {
      release();
      await context.unroute(script);
    }
  });

  it('moves the focus forward automatically, back on Backspace, and asks the page to pay on Enter', async () => {
    await open(await session());
    await input('card_number').focus();
    await page.keyboard.type('4242424242424242');
    expect(await focused()).toBe('card_expiry');
    await page.keyboard.type(`12${nextYear}`);
    expect(await focused()).toBe('card_cvv');
    await page.keyboard.press('Backspace');
    expect(await focused()).toBe('card_expiry');
    expect(await value('card_expiry')).toBe(`12 / ${nextYear}`);
    await page.keyboard.press('Enter');
    expect(await receive('pay')).toMatchObject({ type: 'pay' });
  });

  it('ignores a Tab right after the focus moved by itself; any other Tab moves on', async () => {
    await open(await session());
    await input('card_number').focus();
    await page.keyboard.type('424242424242424');
    /** Types the last digit and presses Tab right after it. Returns the focused field. */
    const taken = await inFrame(`(() => {
      const field = document.activeElement;
      field.value += '2';
      field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: '2' }));
      const isKept = (more) => !document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Tab', bubbles: true, cancelable: true, ...more }));
      return [document.activeElement.name, isKept({}), isKept({}), isKept({ shiftKey: true })];
    })()`);
    expect(taken).toEqual(['card_expiry', true, false, false]);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('card_cvv');
  });

  it.each([
    ['', 'Enter your card number.'],
    ['4242 4242', 'Your card number is incomplete.'],
    ['4242424242424243', 'Check your card number. It may have a typo.'],
  ])('has a separate message for the number "%s"', async (typed, message) => {
    await open(await session());
    await fill(typed);
    await submit();
    await receive('error');
    expect(await problem('card_number')).toBe(message);
  });

  it('explains where the card has its security code', async () => {
    await open(await session());
    const hint = () => frame.locator('#card_cvv_hint').textContent();
    expect([await input('card_cvv').getAttribute('placeholder'), await hint()]).toEqual([
      '3 digits',
      '3 digits on the back of your card',
    ]);
    await input('card_number').fill('378282246310005');
    await input('card_cvv').fill('735');
    expect([await input('card_cvv').getAttribute('maxlength'), await hint()]).toEqual([
      '4',
      '4 digits on the front of your card',
    ]);
    await input('card_number').focus();
    await until(async () => (await problem('card_cvv')) === 'The security code is incomplete.');
  });

  it('shows the name of a brand whose mark does not load', async () => {
    const mark = /\/frame\/assets\/amex\.svg/;
    await context.route(mark, (route) => route.abort());
    try {
      await open(await session());
      await input('card_number').fill('378282246310005');
      await until(async () => ((await frame.locator('#brand').boundingBox())?.width ?? 0) > 20);
      expect(await frame.locator('#mark').isVisible()).toBe(false);
    } finally {
      await context.unroute(mark);
    }
  });

  it.each([216, 300, 500])('never covers the digits with the brand (%i px)', async (width) => {
    await open(await session(), { width });
    for (const number of ['4242424242424242', '5555555555554444', '378282246310005']) {
      await input('card_number').fill(number);
      const digits = await input('card_number').boundingBox();
      const brand = await frame.locator('.brand').boundingBox();
      expect((digits?.x ?? 0) + (digits?.width ?? 0)).toBeLessThanOrEqual(brand?.x ?? 0);
    }
  });

  it('uses the color and the scheme of its parent, and ignores malformed colors', async () => {
    const accent = () => inFrame(`document.documentElement.style.getPropertyValue('--accent')`);
    await open(await session(), { init: { accent: '0f766e', accentDark: '12a594', theme: 'dark' } });
    await until(async () => (await accent()) === '#12a594');
    await page.close();
    await open(await session(), { init: { accent: '0f766e;x:url(//evil)', accentDark: '12a594' } });
    await fill('4242424242424242');
    await submit();
    await receive('token');
    expect(await frame.locator('html').getAttribute('style')).toBeNull();
    expect(complaints).toEqual([]);
  });

  it('sends its height', async () => {
    await open(await session());
    const { height } = await receive('resize');
    expect(height).toBeGreaterThan(100);
  });
});

/** Runs in the shop page. */
const openFrame = `({ src, init, vaultOrigin, width }) => {
  globalThis.received = [];
  const frame = document.createElement('iframe');
  frame.title = 'Card';
  frame.width = width;
  frame.height = 400;
  window.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== vaultOrigin) return;
    globalThis.received.push({ ...event.data, origin: event.origin });
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
      "parent.frames[0].postMessage({ source: 'cardvault-parent', v: 1, type: 'submit', id: 999 }, '*'); parent.sent = true";
    other.contentDocument.body.append(script);
    setTimeout(resolve, 100);
  };
  other.src = location.href;
  document.body.append(other);
})`;
