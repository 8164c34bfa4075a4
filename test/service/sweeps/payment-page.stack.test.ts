import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assets } from '../../../src/checkout-page/assets.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { sealContext } from '../../../src/crypto/seal-contexts.ts';
import { listAlerts } from '../../../src/db/server/operator-alerts.ts';
import { createSweepAlerts } from '../../../src/sweeps/alerts.ts';
import { createCardFrameServer } from '../../../src/card-frame/server.ts';
import { createPaymentPageSweep } from '../../../src/sweeps/sweep-payment-page.ts';
import { watchedFrames } from '../../../src/worker/watched-frames.ts';
import { createTestLogger } from '../../support/logger.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let proxy: Server;
let proxyUrl: string;
/** How the proxy changes the pages and files of the service. */
let change: (text: string, path: string) => string;
let policyOf: (policy: string) => string;
let link: string;
let asked: string[] = [];
const lines: string[] = [];

beforeAll(async () => {
  world = await createWorld({}, { worker: false });
  proxy = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    void fetch(world.baseUrl + path).then(async (answer) => {
      const type = answer.headers.get('content-type') ?? '';
      const policy = policyOf(answer.headers.get('content-security-policy') ?? '');
      response.writeHead(answer.status, { 'content-type': type, 'content-security-policy': policy });
      response.end(change(await answer.text(), path));
    });
  });
  proxyUrl = await listening(proxy);
  const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  link = new URL(String((await shop.create()).body.data?.['checkoutUrl'])).pathname;
});
afterAll(async () => {
  proxy.close().closeAllConnections();
  await world.close();
});
beforeEach(() => {
  change = (text) => text;
  policyOf = (policy) => policy;
  asked = [];
});

const sweepOf = (publicUrl: string, frames: Parameters<typeof createPaymentPageSweep>[0]['frames'] = []) => {
  const { database, settings } = world;
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const logger = createTestLogger(lines);
  return createPaymentPageSweep({
    ...{ database, publicUrl, script: assets.script, frames, everyMs: 1, logger },
    alerts: createSweepAlerts({ database, logger, now: Date.now }),
    openUrl: (sealed, id) =>
      (JSON.parse(keyring.open(sealed, sealContext.checkoutUrl(id))) as { url: string }).url,
  });
};
const details = async (page = '/c/{token}'): Promise<string[]> =>
  (await listAlerts(world.database, 10))
    .filter(({ sweep, subject }) => sweep === 'payment page' && subject === page)
    .map(({ detail }) => detail);

it('the page and its script as the service serves them raise nothing: two requests a look', async () => {
  await sweepOf(proxyUrl).run(() => true);
  expect(await details()).toEqual([]);
  expect(asked).toEqual([link, assets.script.versionedPath]);
});

it.each<[string, () => void, RegExp]>([
  [
    'a script in the page',
    () => (change = (text) => text.replace('</body>', '<script>steal()</script></body>')),
    /^inline script sha384-[\w+/=]{43}$/,
  ],
  [
    'a script from elsewhere',
    () =>
      (change = (text) =>
        text.replace('</head>', '<SCRIPT src=https://evil.example/a.js?b></SCRIPT></head>')),
    /^https:\/\/evil\.example\/a\.js$/,
  ],
  [
    'a policy that allows more',
    () =>
      (policyOf = (policy) => policy.replace("script-src 'self'", "script-src 'self' https://evil.example")),
    /^Content-Security-Policy$/,
  ],
])(
  '%s is an alert within one look, without the page’s secret, and is closed when it is gone',
  async (_what, begin, expected) => {
    const sweep = sweepOf(proxyUrl);
    begin();
    await sweep.run(() => true);
    const found = await details();
    expect(found).toEqual([expect.stringMatching(expected)]);
    expect(found.join() + lines.join()).not.toContain(link.slice(3));
    change = (text) => text;
    policyOf = (policy) => policy;
    await sweep.run(() => true);
    expect(await details()).toEqual([]);
  },
);

it('other bytes of our own file are an alert at the second look: at the first, another build may serve', async () => {
  const sweep = sweepOf(proxyUrl);
  change = (text, path) => (path.startsWith('/assets/') ? `${text}// changed` : text);
  await sweep.run(() => true);
  expect(await details()).toEqual([]);
  await sweep.run(() => true);
  expect(await details()).toEqual([expect.stringMatching(/^\/assets\/page\.js sha384-/)]);
  await sweepOf(world.baseUrl).run(() => true);
  expect(await details()).toEqual([]);
});

it('a page that cannot be read fails the run, and the error does not hold its address', async () => {
  const failed = sweepOf('http://127.0.0.1:1').run(() => true);
  await expect(failed).rejects.toThrow(/^PUBLIC_URL: \/c\/\{token\} could not be read from this worker$/);
});

describe('the frames of cards and wallets', () => {
  const parent = 'https://pay.example';
  const stripe = 'https://js.stripe.com';
  const vault = 'https://api.pcivault.io';
  let frame: Server;
  let framesProxy: Server;
  let frames: ReturnType<typeof watchedFrames>;
  let changed: (text: string, path: string) => string;
  let changedPolicy: (policy: string) => string;

  beforeAll(async () => {
    frame = createCardFrameServer({
      ...{ parentOrigin: parent, vaultUrl: vault, stripeUrl: stripe, key: 'k'.repeat(32), production: true },
    });
    const frameUrl = await listening(frame);
    framesProxy = createServer((request, response) => {
      const path = request.url ?? '/';
      void fetch(frameUrl + path).then(async (answer) => {
        const policy = changedPolicy(answer.headers.get('content-security-policy') ?? '');
        response.writeHead(answer.status, { 'content-security-policy': policy });
        response.end(changed(await answer.text(), path));
      });
    });
    const url = await listening(framesProxy);
    frames = watchedFrames({
      ...{ PUBLIC_URL: parent, CARD_FRAME_URL: url, CARD_FRAME_VAULT_URL: vault },
      ...{ WALLET_FRAME_URL: url, WALLET_FRAME_STRIPE_URL: stripe },
    });
  });
  afterAll(() => {
    for (const server of [framesProxy, frame]) server.close().closeAllConnections();
  });
  beforeEach(() => {
    changed = (text) => text;
    changedPolicy = (policy) => policy;
  });
  const both = async () => [await details('/frame/{reference}'), await details('/wallet')];

  it('as the card frame serves them raise nothing, with Stripe.js from Stripe alone', async () => {
    await sweepOf(proxyUrl, frames).run(() => true);
    expect(await both()).toEqual([[], []]);
  });

  it.each<[string, () => void, [RegExp[], RegExp[]]]>([
    [
      'a script from elsewhere',
      () =>
        (changed = (text) => text.replace('</body>', '<script src="https://evil.example/a.js"></script>')),
      [[/^https:\/\/evil\.example\/a\.js$/], [/^https:\/\/evil\.example\/a\.js$/]],
    ],
    [
      'Stripe.js on the page of the card fields',
      () =>
        (changed = (text, path) =>
          path.startsWith('/frame/page')
            ? text.replace('</head>', `<script src="${stripe}/endive/stripe.js"></script></head>`)
            : text),
      [[/^https:\/\/js\.stripe\.com\/endive\/stripe\.js$/], []],
    ],
    [
      'another place that may receive cards',
      () => (changedPolicy = (policy) => policy.replace(`connect-src ${vault}`, '$& https://evil.example')),
      [[/^Content-Security-Policy$/], []],
    ],
  ])('%s is an alert of that frame, and is closed when it is gone', async (_what, begin, expected) => {
    const sweep = sweepOf(proxyUrl, frames);
    begin();
    await sweep.run(() => true);
    expect(await both()).toEqual(expected.map((texts) => texts.map((text) => expect.stringMatching(text))));
    changed = (text) => text;
    changedPolicy = (policy) => policy;
    await sweep.run(() => true);
    expect(await both()).toEqual([[], []]);
  });

  it('are looked at also when the payment page cannot be read, and other bytes alert at the second look', async () => {
    const sweep = sweepOf('http://127.0.0.1:1', frames);
    changed = (text, path) => (path.startsWith('/frame/assets/') ? `${text}// changed` : text);
    await expect(sweep.run(() => true)).rejects.toThrow('PUBLIC_URL');
    expect(await both()).toEqual([[], []]);
    await expect(sweep.run(() => true)).rejects.toThrow('PUBLIC_URL');
    expect(await both()).toEqual([
      [expect.stringMatching(/^\/frame\/assets\/frame\.js sha384-/)],
      [expect.stringMatching(/^\/frame\/assets\/wallet\.js sha384-/)],
    ]);
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
