import type { FastifyRequest } from 'fastify';
import { refererPath } from '../../../src/dashboard/parts/referer-path.ts';
import { safeRedirectPath } from '../../../src/dashboard/parts/safe-redirect-path.ts';
import { signInPath } from '../../../src/dashboard/sign-in/handlers.ts';

const home = '/dashboard/sandbox';
const list = `${home}/payments?q=`;

it.each([
  ['a page', `${list}order-1`, `${list}order-1`],
  ['another host', '//evil.example/dashboard/sandbox', home],
  ['a page elsewhere', '/docs', home],
  // Its header would be larger than browsers and proxies accept.
  ['an address that is too long', list + 'x'.repeat(2_000), home],
])('a sign-in leads back only to a page of the dashboard: %s', (_what, url, to) => {
  expect(safeRedirectPath(url)).toBe(to);
  expect(signInPath(url)).toBe(
    to === home ? '/dashboard/sign-in' : `/dashboard/sign-in?to=${encodeURIComponent(to)}`,
  );
});

it('leads from a form to its page, unless the address is too long', () => {
  const path = (query: string) =>
    refererPath({ headers: { referer: `https://pay.example${list}${query}` } } as FastifyRequest, home);
  expect(path('order-1&done=saved')).toBe(`${list}order-1`);
  expect(path('x'.repeat(2_000))).toBe(home);
});
