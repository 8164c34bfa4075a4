import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { frameFiles, walletFiles } from '../../../src/card-frame/files.ts';
import { frameTexts } from '../../../src/card-frame/texts.ts';
import { stripeRelease } from '../../../src/card-frame/wallet-page.tsx';
import { signAncestors } from '../../../src/crypto/frame-ancestors.ts';
import { stripeApiVersion } from '../../../src/providers/stripe/client.ts';
import { cardFrameKey, type RunningCardFrame, startCardFrame } from '../../support/card-frame.ts';

const parentOrigin = 'https://pay.shop.example';
const vaultUrl = 'https://api.pcivault.io';
const parent = `parent=${encodeURIComponent(parentOrigin)}`;

describe('the card frame', () => {
  let frame: RunningCardFrame;
  beforeAll(async () => {
    frame = await startCardFrame({ parentOrigin, vaultUrl });
  });
  afterAll(() => frame.close());

  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(frame.url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const framed = (id: string, list: string, signature: string) =>
    get(`/frame/${id}?${parent}&ancestors=${encodeURIComponent(list)}&signature=${signature}`);
  const policyOf = ({ headers }: { headers: Headers }) =>
    (headers.get('content-security-policy') ?? '').split('; ');

  it('sends cards to the vault only, runs its own script only, and is framed by the checkout only', async () => {
    const page = await get(`/frame/abc_DEF-1?${parent}`);
    expect(page.status).toBe(200);
    expect(policyOf(page).toSorted()).toEqual(
      [
        "base-uri 'none'",
        `connect-src ${vaultUrl}`,
        "default-src 'none'",
        "form-action 'none'",
        `frame-ancestors ${parentOrigin}`,
        "img-src 'self'",
        "require-trusted-types-for 'script'",
        "script-src 'self'",
        "style-src 'self'",
        "trusted-types 'none'",
      ].toSorted(),
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('set-cookie')).toBeNull();
    expect(page.text).toContain(`data-capture-url="${vaultUrl}/v1/capture/abc_DEF-1?reference=abc_DEF-1"`);
    expect(page.text).toContain('data-key-header="x-pcivault-capture-secret"');
    expect(page.text).not.toMatch(/<script>|style=|onclick/);
  });

  it('may be framed inside sites that the payment names, each an exact origin', async () => {
    const ancestors = (list: string) => framed('a', list, signAncestors(cardFrameKey, 'a', list));
    const page = await ancestors('https://a.example https://b.example:8443');
    expect(policyOf(page)).toContain(
      `frame-ancestors ${parentOrigin} https://a.example https://b.example:8443`,
    );
    for (const wrong of [
      '*',
      "'self'",
      'https://*.example',
      'https://a.example/path',
      'https://a.example; script-src *',
      'javascript:alert(1)',
      Array.from({ length: 21 }, (_, index) => `https://s${index}.example`).join(' '),
    ]) {
      expect({ wrong, status: (await ancestors(wrong)).status }).toEqual({ wrong, status: 404 });
    }
  });

  it('refuses a list that the API did not sign for this capture, also an altered one', async () => {
    const list = 'https://a.example';
    const signature = signAncestors(cardFrameKey, 'a', list);
    expect((await framed('a', list, signature)).status).toBe(200);
    const refused = [
      await get(`/frame/a?${parent}&ancestors=${encodeURIComponent(list)}`),
      await framed('a', 'https://evil.example', signature),
      await framed('a', `${list} https://evil.example`, signature),
      await framed('b', list, signature),
      await framed('a', list, signature.slice(1)),
      await framed('a', list, signAncestors(`${cardFrameKey}x`, 'a', list)),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(404);
      expect(policyOf(answer)).toContain("frame-ancestors 'none'");
    }
  });

  it('returns the same unframeable page for a wrong parent and a wrong address', async () => {
    const answers = await Promise.all(
      [
        '/frame/a',
        '/frame/a?parent=https%3A%2F%2Fevil.example',
        `/frame/${'a'.repeat(65)}?${parent}`,
        `/frame/a%2Fb?${parent}`,
        `/frame/?${parent}`,
        '/',
      ].map((path) => get(path)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    for (const answer of answers) expect(policyOf(answer)).toContain("frame-ancestors 'none'");
  });

  it.each(['en', 'es', 'pt'] as const)('speaks %s, of real cards', async (locale) => {
    const { text } = await get(`/frame/a?${parent}&locale=${locale}`);
    expect(text).toContain(`<html lang="${locale}">`);
    expect(text).toContain(frameTexts[locale].number);
    expect(text).toContain(frameTexts[locale].numberUnsupported);
    expect(text).not.toContain('4242');
  });

  it('serves the script of the inventory by its hash, compressed, with an unlimited cache time', async () => {
    const { scripts } = JSON.parse(readFileSync('docs/checkout/scripts.json', 'utf8')) as {
      scripts: { path: string; integrity: string }[];
    };
    const known = scripts.find(({ path }) => path === frameFiles.script.path);
    expect(frameFiles.script.integrity).toBe(known?.integrity);
    const page = await get(`/frame/a?${parent}`);
    for (const file of Object.values(frameFiles)) {
      expect(page.text).toContain(`"${file.versionedPath}" integrity="${file.integrity}"`);
      const served = await get(file.versionedPath, { headers: { 'accept-encoding': 'br' } });
      expect(served.text).toBe(file.bytes.toString());
      expect(served.headers.get('content-encoding')).toBe('br');
      expect(served.headers.get('cache-control')).toContain('immutable');
      const stale = await get(`${file.path}?v=0`);
      expect(stale.headers.get('cache-control')).not.toContain('immutable');
    }
  });

  it('has no wallets where Stripe.js is not set up', async () => {
    const page = await get(`/wallet?${parent}&key=pk_test_12345678&amount=2500`);
    expect(page.status).toBe(404);
    expect(policyOf(page)).toContain("frame-ancestors 'none'");
  });

  it('joins the modules into one strict script without imports, exports or colliding names', () => {
    const code = frameFiles.script.bytes.toString();
    // Parsed, not run: a name that two modules declare is a syntax error.
    expect(() => new Script(code)).not.toThrow();
    expect(code).toContain("'use strict';");
    expect(code).not.toMatch(/^(import|export) /m);
    expect(code).not.toMatch(/['"`]\*['"`]|innerHTML|outerHTML|insertAdjacentHTML|eval\(|new Function/);
  });

  it('rejects every method but GET and HEAD, and answers health checks', async () => {
    const posted = await get('/frame/a', { method: 'POST', body: 'card_number=4242424242424242' });
    expect(posted).toMatchObject({ status: 405, text: '' });
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"ok":true}' });
    const head = await get(`/frame/a?${parent}`, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
  });
});

describe("the wallets' frame", () => {
  let frame: RunningCardFrame;
  beforeAll(async () => {
    frame = await startCardFrame({ parentOrigin, vaultUrl, stripeUrl: 'https://js.stripe.com' });
  });
  afterAll(() => frame.close());

  const wallet = (query: string) => fetch(`${frame.url}/wallet?${parent}&${query}`);
  const good = 'key=pk_test_51DialectAccount0&amount=2500&locale=pt';
  const site = 'https://a.example';
  const signed = signAncestors(cardFrameKey, 'pk_test_51DialectAccount0', site);

  it('runs Stripe.js and its own script only, on a page without card fields', async () => {
    const page = await wallet(`${good}&ancestors=${encodeURIComponent(site)}&signature=${signed}`);
    expect((page.headers.get('content-security-policy') ?? '').split('; ').toSorted()).toEqual(
      [
        "base-uri 'none'",
        'connect-src https://api.stripe.com',
        "default-src 'none'",
        "form-action 'none'",
        `frame-ancestors ${parentOrigin} https://a.example`,
        'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
        "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
        "style-src 'self'",
      ].toSorted(),
    );
    expect(page.headers.get('permissions-policy')).toContain('payment=(self "https://js.stripe.com")');
    const text = await page.text();
    expect(text).toContain('<html lang="pt"');
    expect(text).toContain('src="https://js.stripe.com/endive/stripe.js"');
    expect(text).toContain(`integrity="${walletFiles.script.integrity}"`);
    expect(text).not.toMatch(/<input|<script>|style=/);
  });

  it('uses the release of Stripe.js that the API version names', () => {
    expect(stripeApiVersion.split('.')[1]).toBe(stripeRelease);
  });

  it.each([
    'key=sk_test_51DialectAccount0&amount=2500',
    'key=pk_test_%22%3E%3Cscript%3E&amount=2500',
    'key=pk_test_51DialectAccount0&amount=-1',
    'key=pk_test_51DialectAccount0&amount=1e9',
    `${good}&ancestors=*`,
    `${good}&ancestors=${encodeURIComponent(site)}`,
    `${good}&ancestors=https%3A%2F%2Fevil.example&signature=${signed}`,
    `key=pk_test_51AnotherAccount0&amount=2500&ancestors=${encodeURIComponent(site)}&signature=${signed}`,
    '',
  ])('refuses the query %s', async (query) => {
    expect((await wallet(query)).status).toBe(404);
  });
});
