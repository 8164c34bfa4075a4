import { readFile, readdir } from 'node:fs/promises';
import { Script } from 'node:vm';
import { assets } from '../../../src/checkout-page/assets.ts';
import { renderCheckoutPage } from '../../../src/checkout-page/checkout-page.tsx';
import { fill, type Messages, messages } from '../../../src/checkout-page/messages.ts';
import { qrPath } from '../../../src/checkout-page/qr.ts';
import {
  type LastAttempt,
  type PageState,
  failureText,
  fingerprint,
  appearanceOf,
} from '../../../src/checkout-page/view.ts';
import { decide, evolve } from '../../../src/domain/checkout.ts';
import { openCheckout } from '../../../src/domain/checkout-state.ts';
import { storableStrings } from '../../support/corpus.ts';
import { proves } from '../../support/proves.ts';
import { bought, openState, openView, unbranded } from './views.ts';

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

/** Returns the elements and attributes of a document, without texts and values. */
const skeleton = (html: string): string => (html.match(/<\/?[a-zA-Z][^\s>]*|\s[a-zA-Z-]+="/g) ?? []).join('');

describe('the checkout page as a document', () => {
  it.each([
    [8, 0],
    [9, 4],
    [26, 21],
  ])('shows all of a few items, and only the first of many: %s', (count, folded) => {
    const items = Array.from({ length: count }, (_, index) => ({
      name: `Item ${index}`,
      quantity: 1,
      amountCents: 100,
    }));
    const html = renderCheckoutPage({ ...openView, items });
    const rest = /<details class="more-lines"[^>]*>(.*?)<\/details>/s.exec(html)?.[1] ?? '';
    expect(rest.split('class="line-name"').length - 1).toBe(folded);
    expect(html.split('class="line-name"').length - 1).toBe(count);
    expect(html.includes(`Show all ${count} items`)).toBe(folded > 0);
  });

  it('shows every string of a merchant or customer as text: none adds an element or an attribute', () => {
    const plain = skeleton(
      renderCheckoutPage({
        ...openView,
        branding: { ...unbranded, statementDescriptor: 'SHOP' },
        description: 'x',
        items: [{ name: 'x', quantity: 1, amountCents: 2_500 }],
      }),
    );
    const strings = [...storableStrings, '"><script>alert(1)</script>', "' onload='x", '--><img src=x>'];
    expect(strings.length).toBeGreaterThan(100);
    for (const text of strings) {
      const branding = { ...unbranded, statementDescriptor: text };
      const html = renderCheckoutPage({
        ...openView,
        reference: text,
        merchantName: text,
        branding,
        description: text,
        items: [{ name: text, quantity: 1, amountCents: 2_500 }],
        walletName: text,
      });
      expect(skeleton(html)).toBe(plain);
    }
  });

  it('has no inline script, style or handler, and loads its own two files only, with integrity', () => {
    const html = renderCheckoutPage(openView);
    expect(html).not.toMatch(/\son\w+=|\sstyle=|javascript:/i);
    expect([...html.matchAll(/<script[^>]*>([^<]*)</g)].map(([, code]) => code)).toEqual(['']);
    expect(
      [...html.matchAll(/<(?:script|link rel="stylesheet")[^>]*integrity="([^"]+)"/g)].map(
        ([, hash]) => hash,
      ),
    ).toEqual([assets.style.integrity, assets.script.integrity]);
  });

  it('names what the button does, for each method, in each language', () => {
    const labels = (view: Partial<typeof openView>) => {
      const html = renderCheckoutPage({ ...openView, ...view });
      const label = /<span id="pay-label">(.*?)<\/span><\/button>/.exec(html)?.[1] ?? '';
      return [...label.matchAll(/>([^<]+)</g)].map(([, text]) => text);
    };
    expect(labels({})).toEqual(['Pay $25.00', 'Continue to your wallet', 'Continue with Pix']);
    expect(labels({ walletName: 'Example Wallet' })[1]).toBe('Continue to Example Wallet');
    expect(labels({ locale: 'es' }).slice(1)).toEqual(['Continuar en tu billetera', 'Continuar con Pix']);
    expect(labels({ locale: 'pt' }).slice(1)).toEqual(['Continuar na sua carteira', 'Continuar com Pix']);
    expect(labels({ state: { ...openState, methods: ['pix'] } })).toEqual(['Continue with Pix']);
  });

  it('names and marks the wallet of the connector in its row, its button and its step', () => {
    const wallet = { walletName: 'Example Wallet', walletMark: 'sandbox' } as const;
    const state: PageState = { kind: 'wallet', url: 'https://wallet.example/' };
    const named = [openState, state].map((shown) =>
      renderCheckoutPage({ ...openView, ...wallet, state: shown }),
    );
    for (const html of named) {
      expect(html).toContain('class="mark-own"');
      expect(html).not.toMatch(/your wallet|Digital wallet/);
    }
    expect(named[0]).toContain('<span class="method-name">Example Wallet</span>');
    expect(named[1]).toContain('>Go to Example Wallet</a>');
    const plain = [openState, state].map((shown) => renderCheckoutPage({ ...openView, state: shown }));
    for (const html of plain) {
      expect(html).toContain('class="mark mark-wallet"');
      expect(html).toMatch(/your wallet/);
    }
  });

  it('shows the name on the statement for cards only', () => {
    const branding = { ...unbranded, statementDescriptor: 'BLUE BOTTLE' };
    const shows = (state: PageState) =>
      renderCheckoutPage({ ...openView, branding, state }).includes('BLUE BOTTLE');
    const card = { brand: 'visa', last4: '4242' };
    const pix = { kind: 'pix', code: 'code', settleUrl: null, expiresAtMs: 1, reais: null } as const;
    expect([openState, { kind: 'processing', card } as const].map(shows)).toEqual([true, true]);
    expect(shows({ kind: 'paid', method: 'card', card, atMs: 1 })).toBe(true);
    const others: PageState[] = [
      { ...openState, methods: ['wallet', 'pix'] },
      pix,
      { kind: 'wallet', url: 'https://wallet.example/' },
      { kind: 'processing', card: null },
      { kind: 'paid', method: 'pix', card: null, atMs: 1 },
    ];
    expect(others.map(shows)).toEqual(others.map(() => false));
  });

  it('states the total of a receipt once: after the items, or as a fact where there are none', () => {
    const state = { kind: 'paid', method: 'pix', card: null, atMs: null } as const;
    const receipt = (html: string) => html.slice(html.indexOf('data-testid="state-paid"'));
    const listed = receipt(renderCheckoutPage({ ...openView, ...bought, state }));
    expect(listed.split('$25.00')).toHaveLength(2);
    expect(listed).toMatch(/class="lines-total"><span>Total<\/span> <span>\$25\.00</);
    const bare = receipt(renderCheckoutPage({ ...openView, state }));
    expect(bare.split('$25.00')).toHaveLength(2);
  });

  it('lists what is bought beside the payment and in the receipt', () => {
    const open = renderCheckoutPage({ ...openView, ...bought });
    expect(open).toContain('data-testid="bought"');
    expect(open).not.toContain('receipt-lines');
    const state = { kind: 'paid', method: 'pix', card: null, atMs: null } as const;
    const paid = renderCheckoutPage({ ...openView, ...bought, state });
    expect(paid.slice(paid.indexOf('receipt-lines'))).toContain('Coffee beans, 250 g');
    expect(renderCheckoutPage({ ...openView, state })).not.toContain('receipt-lines');
    // The short reference stands beside the id.
    expect(paid).toMatch(
      /data-testid="short-reference">[2-9A-Z]{4}-[2-9A-Z]{4}<.*>01900000-0000-7000-8000-0{12}</,
    );
  });

  it('has no card field of its own', () => {
    expect(renderCheckoutPage(openView)).not.toMatch(/cc-|card_number|type="(?:tel|number|text)"/);
  });

  it('uses every text', async () => {
    const files = await readdir('src', { recursive: true, withFileTypes: true });
    const code = await Promise.all(
      files
        .filter((file) => file.isFile() && /\.tsx?$/.test(file.name) && !/\/messages$/.test(file.parentPath))
        .map((file) => readFile(`${file.parentPath}/${file.name}`, 'utf8')),
    );
    const all = code.join('\n');
    const isUsed = (name: string) =>
      new RegExp(`text\\.${name}\\b|messages\\[[^\\]]+\\]\\.${name}\\b|'${name}'`).test(all);
    // The texts of a method are looked up by its name.
    const byMethod = ['card', 'wallet', 'pix', 'walletHint', 'pixHint'];
    expect(Object.keys(messages.en).filter((name) => !byMethod.includes(name) && !isUsed(name))).toEqual([]);
  });

  it('translates every sentence', () => {
    const sentences = Object.entries(messages.en).filter(([, text]) => text.length > 40);
    const taken = (locale: 'es' | 'pt') =>
      sentences.filter(([name, text]) => messages[locale][name as keyof Messages] === text);
    expect([...taken('es'), ...taken('pt')]).toEqual([]);
  });

  it('leaves a placeholder without a value unchanged, and fills none inside a value', () => {
    expect(fill('{a} {b}', { a: '{b}' })).toBe('{b} {b}');
  });
});

describe('the text for a failed attempt', () => {
  it.each([
    ['card_declined', 'failure_declined'],
    ['lost_card', 'failure_declined'],
    ['stolen_card', 'failure_declined'],
    ['fraud_suspected', 'failure_declined'],
    ['insufficient_funds', 'failure_funds'],
    ['authentication_failed', 'failure_authentication'],
    ['something_new', 'failure_technical'],
    ['constructor', 'failure_technical'],
  ])('of %s is %s', (failureCode, text) => {
    expect(failureText(attempt({ failureCode }))).toBe(text);
  });

  it('is none while the attempt runs, and neutral when the customer canceled it', () => {
    expect(failureText(null)).toBeNull();
    expect(failureText(attempt({ status: 'processing', failureCode: null }))).toBeNull();
    expect(failureText(attempt({ status: 'voided', failureCode: null }))).toBe('failure_given_up');
  });

  it('comes with a fingerprint that changes with every visible change, but not while one attempt runs', () => {
    const nothing = { method: null, card: null, atMs: null };
    const expired = { kind: 'closed', reason: 'checkout_expired', ...nothing } as const;
    const prints = [
      fingerprint(openState, null, 5),
      fingerprint(openState, { attemptNo: 1 }, 4),
      fingerprint(openState, { attemptNo: 2 }, 3),
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
    proves(
      'accept another card after a failed attempt and until the deadline, unlike those of the shop',
      'AMB-64',
    ),
    () => {
      expect(decide(declinedOnce('hosted'), prepare, 1_799_999)).toEqual({ ok: true, events: [] });
      expect(decide(declinedOnce('hosted'), prepare, 1_800_000)).toEqual({
        ok: false,
        code: 'checkout_expired',
      });
      expect(decide(declinedOnce('custom'), prepare, 1)).toEqual({ ok: false, code: 'checkout_expired' });
    },
  );

  it('accept no card while an attempt runs', () => {
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
  it('equal the inventory, byte for byte', async () => {
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

  it('are one script whose modules have no colliding names', () => {
    // Parsed, not run: a name that two modules declare is a syntax error.
    expect(() => new Script(assets.script.bytes.toString('utf8'))).not.toThrow();
    expect(assets.script.bytes.toString('utf8')).not.toMatch(/^(import|export) /m);
  });

  it('weigh at most 10 KB compressed together, and the style at most 6', () => {
    expect(assets.script.brotli.length + assets.embed.brotli.length).toBeLessThanOrEqual(10 * 1024);
    expect(assets.style.brotli.length).toBeLessThanOrEqual(6 * 1024);
  });
});

describe('the appearance that an embedding shop chooses', () => {
  const appearanceIn = (query: string) => appearanceOf(Object.fromEntries(new URLSearchParams(query)));

  it('is read from the address, without what is unknown, and kept in every address of the page', () => {
    expect(appearanceIn('accent=ffd400&radius=none&font=serif')).toEqual({
      accent: '#ffd400',
      radius: 'none',
      font: 'serif',
    });
    const plain = { accent: null, radius: null, font: null };
    expect(appearanceIn('accent=FFD400;x&radius=9px&font=url(x)')).toEqual(plain);
    expect(appearanceOf({ accent: ['ffd400'], radius: {}, font: undefined })).toEqual(plain);
    const appearance = { accent: '#ffd400', radius: 'large', font: 'mono' } as const;
    const html = renderCheckoutPage({ ...openView, theme: 'dark', appearance });
    const query = 'lang=en&amp;theme=dark&amp;accent=ffd400&amp;radius=large&amp;font=mono';
    expect(html).toContain(`action="/c/token/pay?${query}"`);
    expect(html).toContain('data-radius="large" data-font="mono"');
    expect(renderCheckoutPage(openView)).toContain('action="/c/token/pay?lang=en"');
  });
});
