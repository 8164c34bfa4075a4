import { Shop } from '../support/shop.ts';
import { Found } from './found.ts';
import { type Visitor, drawVisit } from './page-requests.ts';
import type { Surface } from './surface.ts';

/** Share of visits that open the page of a new payment. */
const newChance = 0.02;

/**
 * Returns the customers' pages at `baseUrl`: checkouts, a payment link, customers' steps, and the calls of
 * their scripts.
 */
export async function checkoutSurface(shop: Shop, baseUrl: string, linkUrl: string): Promise<Surface> {
  const found = new Found([
    new URL(linkUrl).pathname,
    '/l/unknown',
    '/c/unknown',
    '/a/unknown',
    '/demo/cart',
  ]);
  const visitor: Visitor = {
    origin: baseUrl,
    name: 'customer',
    headers: {},
    found,
    // The shop's own pages, the simulators' wallet and challenge, and this service.
    mayLeadTo: (location) =>
      /^\/(?:[acl]\/|docs|guides)/.test(location) ||
      /^https:\/\/shop\.example\//.test(location) ||
      /^http:\/\/127\.0\.0\.1:\d+\/(?:c|a|wallet|challenge|pay|demo)\b/.test(location),
  };
  const open = async (): Promise<void> => {
    const created = await shop.create({ customer: { name: 'Ada', email: 'ada@example.com' } });
    const { pathname } = new URL(String(created.body.data?.['checkoutUrl']));
    const html = await (await fetch(baseUrl + pathname)).text();
    const form = /data-form-token="([^"]+)"/.exec(html)?.[1] ?? '';
    for (const path of ['', '/done', '/state', '?lang=pt', '?theme=dark']) found.addLink(pathname + path);
    for (const [verb, fields] of [
      ['card-fields', []],
      ['leave-step', []],
      ['pay', [['method', 'pix']]],
      ['pay', [['method', 'wallet']]],
      [
        'pay',
        [
          ['method', 'card'],
          ['cardToken', 'tok_5f0c2b7e9a41d83c'],
          ['captureReference', 'cap_8Jd02mKq'],
        ],
      ],
    ] as [string, [string, string][]][]) {
      found.addForm({ action: `${pathname}/${verb}`, fields: [['form', form], ...fields] });
    }
  };
  await open();
  return {
    async draw(random) {
      if (random.chance(newChance)) await open();
      return drawVisit(random, visitor);
    },
  };
}
