import { signAncestors } from '../../src/crypto/frame-ancestors.ts';
import { cardFrameKey } from '../support/card-frame.ts';
import type { Random } from '../support/harness/random.ts';
import type { Surface } from './surface.ts';
import { hostileStrings } from './values.ts';

const script = '"><script>fuzz()</script>';

/** Returns the server of the card fields and wallet buttons at `baseUrl`, framed by `parentOrigin`. */
export function frameSurface(baseUrl: string, parentOrigin: string): Surface {
  return {
    async draw(random) {
      const frame = random.pick(['cap_8Jd02mKq', 'pk_test_51Nabcdefgh', 'x'.repeat(65), '%00', '..']);
      const path = random.weighted([
        [`/frame/${frame}`, 4],
        ['/wallet', 3],
        ['/healthz', 1],
        [`/${random.pick(['', '%ff', 'frame', 'frame/', '..%2f', 'x'.repeat(4_000)])}`, 1],
      ]);
      const method = random.weighted([
        ['GET', 9],
        ['HEAD', 1],
        ['POST', 1],
      ]);
      return {
        name: `frame ${method} ${path.replace(/^\/frame\/.*/, '/frame/:id').slice(0, 20)}`,
        url: `${baseUrl}${path}?${queryOf(random, frame, parentOrigin).toString()}`,
        method,
        headers: random.chance(0.1) ? { 'accept-encoding': random.pick(['br', 'x'.repeat(500)]) } : {},
        body: method === 'POST' ? 'card_number=4242424242424242' : undefined,
        verdict({ status, headers, text }) {
          if (![200, 400, 404, 405, 414, 431].includes(status)) return `status ${status}`;
          if (text.includes(script)) return 'a script was shown as it came';
          const policy = headers.get('content-security-policy') ?? '';
          if (headers.get('content-type')?.startsWith('text/html') !== true) return null;
          const framed = /frame-ancestors ([^;]*)/.exec(policy)?.[1] ?? 'anybody';
          const allowed = status === 200 ? [parentOrigin, 'https://shop.example'] : ["'none'"];
          return framed.split(' ').every((one) => allowed.includes(one)) ? null : `framed by ${framed}`;
        },
      };
    },
  };
}

function queryOf(random: Random, frame: string, parent: string): URLSearchParams {
  const value = (usual: string): string =>
    random.chance(0.85) ? usual : random.pick([script, '', ...hostileStrings]);
  const ancestors = random.weighted([
    ['', 3],
    ['https://shop.example', 4],
    ["https://evil.example; script-src 'unsafe-inline'", 1],
    ['*', 1],
  ]);
  // Only the value that the API would sign, whose own callers give it a list of origins.
  const isSigned = ancestors === 'https://shop.example' && random.chance(0.8);
  return new URLSearchParams({
    parent: value(parent),
    ancestors,
    signature: isSigned ? signAncestors(cardFrameKey, frame, ancestors) : value('AAAA'),
    locale: value('en'),
    key: value(frame),
    amount: value('2500'),
    theme: value('dark'),
    radius: value('none'),
  });
}
