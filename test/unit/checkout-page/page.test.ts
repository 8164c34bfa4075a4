import { readFile, readdir } from 'node:fs/promises';
import { Script } from 'node:vm';
import { assets } from '../../../src/checkout-page/assets.ts';
import { renderCheckoutPage } from '../../../src/checkout-page/checkout-page.tsx';
import { money } from '../../../src/checkout-page/format.ts';
import { fill, type Messages, messages } from '../../../src/checkout-page/messages.ts';
import { qrPath } from '../../../src/checkout-page/qr.ts';
import {
  type CheckoutView,
  type LastAttempt,
  type PageState,
  failureText,
  fingerprint,
} from '../../../src/checkout-page/view.ts';
import { decide, evolve } from '../../../src/domain/checkout.ts';
import { openCheckout } from '../../../src/domain/checkout-state.ts';
import { locales } from '../../../src/domain/statuses.ts';
import { storableStrings } from '../../support/corpus.ts';
import { proves } from '../../support/proves.ts';

const state: PageState = { kind: 'open', methods: ['card', 'wallet', 'pix'], chosen: 'card', failure: null };

const unbranded: CheckoutView['branding'] = {
  displayName: null,
  accent: null,
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  privacyUrl: null,
  statementDescriptor: null,
  logo: null,
};

const view: CheckoutView = {
  locale: 'en',
  theme: null,
  embedded: false,
  merchantName: 'Shop',
  branding: unbranded,
  host: 'pay.example',
  paymentId: '01900000-0000-7000-8000-000000000000',
  reference: 'order-1',
  amountCents: 2500,
  environment: 'sandbox',
  attemptsLeft: 5,
  expiresAtMs: Date.UTC(2030, 0, 1, 12, 30),
  nowMs: Date.UTC(2030, 0, 1, 12),
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
  frameOrigins: [],
  path: '/c/token',
  formToken: 'token',
  notice: null,
  fingerprint: 'open.0.5',
  state,
};

const attempt = (over: Partial<LastAttempt>): LastAttempt => ({
  attemptNo: 1,
  status: 'declined',
  method: 'card',
  failureCode: 'card_declined',
  cardBrand: null,
  cardLast4: null,
  resolvedAtMs: null,
  ...over,
});

/** The elements and attributes of a document, without texts and values. */
const skeleton = (html: string): string => (html.match(/<\/?[a-zA-Z][^\s>]*|\s[a-zA-Z-]+="/g) ?? []).join('');

describe('the checkout page as a document', () => {
  it('shows whatever a merchant or customer wrote as text: no string adds an element or an attribute', () => {
    const plain = skeleton(
      renderCheckoutPage({ ...view, branding: { ...unbranded, statementDescriptor: 'SHOP' } }),
    );
    const strings = [...storableStrings, '"><script>alert(1)</script>', "' onload='x", '--><img src=x>'];
    expect(strings.length).toBeGreaterThan(100);
    for (const text of strings) {
      const branding = { ...unbranded, statementDescriptor: text };
      const html = renderCheckoutPage({ ...view, reference: text, merchantName: text, branding });
      expect(skeleton(html)).toBe(plain);
    }
  });

  it('has no inline script, style or handler and loads only its own two files, with integrity', () => {
    const html = renderCheckoutPage(view);
    expect(html).not.toMatch(/\son\w+=|\sstyle=|javascript:/i);
    expect([...html.matchAll(/<script[^>]*>([^<]*)</g)].map(([, code]) => code)).toEqual(['']);
    expect(
      [...html.matchAll(/<(?:script|link rel="stylesheet")[^>]*integrity="([^"]+)"/g)].map(
        ([, hash]) => hash,
      ),
    ).toEqual([assets.style.integrity, assets.script.integrity]);
  });

  it('has no field for a card of its own', () => {
    expect(renderCheckoutPage(view)).not.toMatch(/cc-|card_number|type="(?:tel|number|text)"/);
  });

  it.each(locales)('has every text in %s, with the places of the English one', (locale) => {
    const places = (of: string) => (of.match(/\{\w+\}/g) ?? []).toSorted();
    const shapes = (of: Messages) =>
      Object.entries(of).map(([name, text]) => ({ name, empty: text.trim() === '', places: places(text) }));
    expect(shapes(messages[locale])).toEqual(shapes(messages.en));
    expect(shapes(messages[locale]).filter(({ empty }) => empty)).toEqual([]);
  });

  it('uses every text it has', async () => {
    const files = await readdir('src', { recursive: true, withFileTypes: true });
    const code = await Promise.all(
      files
        .filter((file) => file.isFile() && /\.tsx?$/.test(file.name) && !/\/messages$/.test(file.parentPath))
        .map((file) => readFile(`${file.parentPath}/${file.name}`, 'utf8')),
    );
    const all = code.join('\n');
    const isUsed = (name: string) =>
      new RegExp(`text\\.${name}\\b|messages\\[[^\\]]+\\]\\.${name}\\b|'${name}'`).test(all);
    // A method's own texts are found by the method's name.
    const byMethod = ['card', 'wallet', 'pix', 'walletHint', 'pixHint'];
    expect(Object.keys(messages.en).filter((name) => !byMethod.includes(name) && !isUsed(name))).toEqual([]);
  });

  it('has a sentence of its own in every language', () => {
    const sentences = Object.entries(messages.en).filter(([, text]) => text.length > 40);
    const taken = (locale: 'es' | 'pt') =>
      sentences.filter(([name, text]) => messages[locale][name as keyof Messages] === text);
    expect([...taken('es'), ...taken('pt')]).toEqual([]);
  });

  it.each([
    ['en', '$4,250.50'],
    ['es', 'USD 4,250.50'],
    ['pt', 'US$ 4.250,50'],
  ] as const)('writes amounts as people do in %s', (locale, expected) => {
    expect(money(locale, 425_050).replaceAll('\u00a0', ' ')).toBe(expected);
  });

  it('leaves a place without a value as it is, and never fills one from what was filled in', () => {
    expect(fill('{a} {b}', { a: '{b}' })).toBe('{b} {b}');
  });
});

describe('what the page tells of an attempt', () => {
  it.each([
    ['card_declined', 'failure_declined'],
    ['lost_card', 'failure_declined'],
    ['stolen_card', 'failure_declined'],
    ['fraud_suspected', 'failure_declined'],
    ['insufficient_funds', 'failure_funds'],
    ['authentication_failed', 'failure_authentication'],
    ['something_new', 'failure_technical'],
    ['constructor', 'failure_technical'],
  ])('%s', (failureCode, text) => {
    expect(failureText(attempt({ failureCode }))).toBe(text);
  });

  it('nothing of one that is not over, and that a voided one was given up', () => {
    expect(failureText(null)).toBeNull();
    expect(failureText(attempt({ status: 'processing', failureCode: null }))).toBeNull();
    expect(failureText(attempt({ status: 'voided', failureCode: null }))).toBe('failure_given_up');
  });

  it('changes its fingerprint with every change a customer would see, and not while one attempt runs', () => {
    const nothing = { method: null, card: null, atMs: null };
    const expired = { kind: 'closed', reason: 'checkout_expired', ...nothing } as const;
    const prints = [
      fingerprint(state, null, 5),
      fingerprint(state, { attemptNo: 1 }, 4),
      fingerprint(state, { attemptNo: 2 }, 3),
      fingerprint({ kind: 'wallet', url: 'x' }, { attemptNo: 1 }, 5),
      fingerprint({ kind: 'paid', ...nothing }, { attemptNo: 1 }, 5),
      fingerprint({ ...expired, unsettled: true }, { attemptNo: 1 }, 5),
      fingerprint({ ...expired, unsettled: false }, { attemptNo: 1 }, 5),
    ];
    expect(new Set(prints).size).toBe(prints.length);
    const running: PageState = { kind: 'processing', card: null };
    expect(fingerprint(running, null, 5)).toBe(fingerprint(running, { attemptNo: 1 }, 5));
  });
});

describe('the card fields of the hosted page', () => {
  const terms = { expiresAtMs: 1_800_000, captureEndsAtMs: 600_000 };
  const prepare = { type: 'prepareCapture' } as const;
  const declinedOnce = (mode: 'hosted' | 'custom') =>
    [
      { type: 'AttemptStarted', attemptNo: 1, method: 'card' } as const,
      { type: 'AttemptDeclined', attemptNo: 1, failureCode: 'card_declined', message: '' } as const,
    ].reduce(evolve, openCheckout({ mode, ...terms }));

  it(
    proves('take another card after a failed attempt and until the deadline, unlike the shop', 'AMB-64'),
    () => {
      expect(decide(declinedOnce('hosted'), prepare, 1_799_999)).toEqual({ ok: true, events: [] });
      expect(decide(declinedOnce('hosted'), prepare, 1_800_000)).toEqual({
        ok: false,
        code: 'checkout_expired',
      });
      expect(decide(declinedOnce('custom'), prepare, 1)).toEqual({ ok: false, code: 'checkout_expired' });
    },
  );

  it('take none while an attempt runs', () => {
    const running = evolve(openCheckout({ mode: 'hosted', ...terms }), {
      type: 'AttemptStarted',
      attemptNo: 1,
      method: 'card',
    });
    expect(decide(running, prepare, 1)).toEqual({ ok: false, code: 'payment_in_progress' });
  });
});

describe('the QR code', () => {
  it('draws every dark module once, inside a quiet zone of four', () => {
    const { side, path } = qrPath('00020126580014br.gov.bcb.pix');
    const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].map((found) =>
      found.slice(1).map(Number),
    );
    expect(
      runs.map(([x = 0, y = 0, length = 0, back = 0]) => [
        x >= 4,
        y >= 4,
        x + length <= side - 4,
        length === back,
      ]),
    ).toEqual(runs.map(() => [true, true, true, true]));
    // The finder pattern: seven dark modules in its first row.
    expect(runs[0]).toEqual([4, 4, 7, 7]);
  });
});

describe('the scripts of the page', () => {
  it('are those of the inventory, byte for byte', async () => {
    const inventory = JSON.parse(await readFile('docs/checkout/scripts.json', 'utf8')) as {
      scripts: { path: string; integrity: string; why: string; origin: string }[];
    };
    const ours = inventory.scripts.filter(({ origin }) => origin === 'service');
    expect(ours.map(({ path, integrity }) => ({ path, integrity }))).toEqual([
      { path: assets.script.path, integrity: assets.script.integrity },
      { path: assets.embed.path, integrity: assets.embed.integrity },
    ]);
    for (const { why } of inventory.scripts) expect(why.length).toBeGreaterThan(20);
  });

  it('post messages to exact origins only and turn no string into markup or code', () => {
    for (const asset of [assets.script, assets.embed]) {
      const code = asset.bytes.toString('utf8');
      expect(code).not.toMatch(/['"`]\*['"`]/);
      expect(code).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc/,
      );
      expect(code).toMatch(/origin !==/);
    }
  });

  it("are one script out of parts that do not get in each other's way", () => {
    // Parsed, not run: a name that two parts declare is an error of syntax.
    expect(() => new Script(assets.script.bytes.toString('utf8'))).not.toThrow();
    expect(assets.script.bytes.toString('utf8')).not.toMatch(/^(import|export) /m);
  });

  it('weigh at most 10 KB compressed together, and the style at most 6', () => {
    expect(assets.script.brotli.length + assets.embed.brotli.length).toBeLessThanOrEqual(10 * 1024);
    expect(assets.style.brotli.length).toBeLessThanOrEqual(6 * 1024);
  });
});
