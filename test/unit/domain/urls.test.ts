import * as fc from 'fast-check';
import { checkOrigin, checkUri } from '../../../src/domain/urls.ts';
import { urlRows } from '../../support/corpus.ts';
import { proves } from '../../support/proves.ts';

const development = { allowHttpLoopback: true };
const production = { allowHttpLoopback: false };

describe('URLs', () => {
  it('the table has at least 120 rows', () => {
    expect(urlRows.length).toBeGreaterThanOrEqual(120);
  });

  it.each(urlRows.map((row) => ({ ...row, shown: JSON.stringify(row.url).slice(0, 60) })))(
    '$id: $shown ($why): development $development, production $production',
    (row) => {
      expect(checkUri(row.url, development).ok).toBe(row.development);
      expect(checkUri(row.url, production).ok).toBe(row.production);
    },
  );

  it(proves('the parsed URL is answered in canonical form', 'URL-09'), () => {
    expect(checkUri('http://0x7F.1:3000/ok', development)).toMatchObject({
      ok: true,
      url: { origin: 'http://127.0.0.1:3000', pathname: '/ok' },
    });
  });

  it(proves('a reason never quotes the URL', 'SECRET-10'), () => {
    const reasons = urlRows
      .map((row) => checkUri(`${row.url}canary`, production))
      .filter((checked) => !checked.ok);
    expect(reasons.length).toBeGreaterThan(100);
    expect(JSON.stringify(reasons)).not.toContain('canary');
  });

  it(proves('the decision on one URL is the same however often it is taken', 'URL-02'), () => {
    // Node 20's URL.canParse, optimized after thousands of calls, returns another result for such letters.
    for (let times = 0; times < 50_000; times += 1) {
      if (!checkUri('https://b\u00fccher.example/', production).ok)
        throw new Error(`refused after ${times} times`);
    }
    expect(checkUri('https://b\u00fccher.example/', production).ok).toBe(true);
  });

  const label = fc
    .stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
    .filter((text) => !text.startsWith('xn--'));
  const host = fc
    .array(label, { minLength: 1, maxLength: 4 })
    .map((labels) => [...labels, 'example'].join('.'));
  const rest = fc
    .array(
      fc.constantFrom(
        'a',
        'Z',
        '0',
        '/',
        '?',
        '&',
        '=',
        '%20',
        '@',
        ':',
        '-',
        '~',
        '[',
        '\u00e9',
        '\u{1f600}',
      ),
    )
    .map((parts) => parts.join(''));
  const valid = fc
    .tuple(host, fc.option(fc.integer({ min: 0, max: 65_535 })), rest)
    .map(([name, port, tail]) => `https://${name}${port === null ? '' : `:${port}`}/${tail}`);

  it(proves('any HTTPS URL put together of valid parts is accepted in both modes', 'URL-06'), () => {
    fc.assert(
      fc.property(valid, (url) => {
        expect(checkUri(url, production)).toEqual(expect.objectContaining({ ok: true }));
        expect(checkUri(url, development)).toEqual(expect.objectContaining({ ok: true }));
      }),
      { numRuns: 1000 },
    );
  });

  it(proves('one fault anywhere in a valid URL refuses it in both modes', 'URL-01 to -08', 'AMB-18'), () => {
    const faults: ((url: string, at: number) => string)[] = [
      (url) => url.replace('https://', 'https://@'),
      (url) => url.replace('https://', 'https://user:secret@'),
      (url) => url.replace('https://', 'http://'),
      (url) => url.replace('https://', 'ftp://'),
      (url) => url.replace('https://', 'https:'),
      (url) => url.replace('https://', '//'),
      (url) => url.replace('https://', 'https:\\\\'),
      (url) => `${url}#`,
      (url) => url.padEnd(2049, 'x'),
      ...['#', '\\', ' ', '\t', '\n', '\r', '\0', '\u007f', '\ud800'].map(
        (character) => (url: string, at: number) => url.slice(0, at) + character + url.slice(at),
      ),
    ];
    fc.assert(
      fc.property(valid, fc.nat(), fc.constantFrom(...faults), (url, at, spoil) => {
        const spoiled = spoil(url, at % (url.length + 1));
        expect(checkUri(spoiled, production).ok).toBe(false);
        expect(checkUri(spoiled, development).ok).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('any text is decided, and what is accepted parses to an allowed scheme without credentials or fragment', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          { arbitrary: fc.string({ unit: 'binary' }), weight: 1 },
          { arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }), weight: 9 },
        ),
        (text) => {
          const checked = checkUri(text, development);
          fc.pre(checked.ok);
          expect(checked.url).toMatchObject({ username: '', password: '', hash: '' });
          expect(['https:', 'http:']).toContain(checked.url.protocol);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('origins', () => {
  const accepted: [string, string][] = [
    ['https://shop.example', 'https://shop.example'],
    ['https://SHOP.example', 'https://shop.example'],
    ['HTTPS://shop.example', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['https://shop.example:', 'https://shop.example'],
    ['https://shop.example:8443', 'https://shop.example:8443'],
    ['https://www.shop.example', 'https://www.shop.example'],
    ['https://b\u00fccher.example', 'https://xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
    ['https://shop.example.', 'https://shop.example.'],
    ['https://1.2.3.4', 'https://1.2.3.4'],
    ['https://[2001:DB8::1]', 'https://[2001:db8::1]'],
    ['https://evil-shop.example', 'https://evil-shop.example'],
    ['https://shop.example.evil.example', 'https://shop.example.evil.example'],
    ['https://localhost', 'https://localhost'],
  ];

  it.each(accepted)(proves('%s is the origin %s in both modes', 'AMB-51'), (raw, origin) => {
    expect(checkOrigin(raw, production)).toEqual({ ok: true, origin });
    expect(checkOrigin(raw, development)).toEqual({ ok: true, origin });
  });

  it.each([
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://127.1:80', 'http://127.0.0.1'],
  ])(proves('%s is the origin %s in development only', 'AMB-51'), (raw, origin) => {
    expect(checkOrigin(raw, development)).toEqual({ ok: true, origin });
    expect(checkOrigin(raw, production).ok).toBe(false);
  });

  it.each([
    ...[
      '',
      'null',
      '*',
      'https://*',
      'https://*.shop.example',
      'https://shop.*',
      'shop.example',
      '//shop.example',
    ],
    ...[
      'https://',
      'https:',
      'https:shop.example',
      'https://shop.example/',
      'https://shop.example/a',
      'https://shop.example?',
    ],
    ...[
      'https://shop.example?a=b',
      'https://shop.example#',
      'https://shop.example#a',
      'https://u@shop.example',
    ],
    ...[
      'https://@shop.example',
      'https://u:p@shop.example',
      'http://shop.example',
      'ws://shop.example',
      'file://',
    ],
    ...[
      'data:text/html,x',
      'https://shop.example https://b.example',
      'https://shop.example,https://b.example',
    ],
    ...[
      "https://shop.example;script-src 'unsafe-inline'",
      'https://shop.example;x',
      "https://shop.example'",
      ' https://shop.example',
    ],
    ...[
      'https://shop.example ',
      'https://shop.example\n',
      'https://shop.example\\',
      'https://shop.example:99999',
      'https://shop.example:x',
    ],
    ...[
      'https://sh op.example',
      'https://%2a.shop.example',
      'https://\uff0a.shop.example',
      'https://shop.example\0',
      'https://[::1',
      'http://localhost.',
    ],
  ])('C11: %j is no origin in either mode', (raw) => {
    expect(checkOrigin(raw, production).ok).toBe(false);
    expect(checkOrigin(raw, development).ok).toBe(false);
  });

  it(proves('255 characters are accepted, 256 are not', 'EMBED-01'), () => {
    // Labels have at most 63 characters, so only the limit of the whole decides.
    const ofLength = (length: number): string => {
      const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.`;
      return `https://${name}${'d'.repeat(length - 8 - name.length)}`;
    };
    expect(ofLength(255)).toHaveLength(255);
    expect(checkOrigin(ofLength(255), production).ok).toBe(true);
    expect(checkOrigin(ofLength(256), production).ok).toBe(false);
    expect(checkOrigin(`https://${'\u00e9'.repeat(247)}`, production).ok).toBe(false);
  });
});
