import type { Browser, BrowserContextOptions } from 'playwright-core';
import { Shop } from './shop.ts';
import { type World, createWorld } from './world.ts';
import { type Tab, launchBrowser, openTab, startSite } from './browser.ts';
import { PageClient } from './page-client.ts';

/** A browser keeps a core busy: more at once only make each other late. */
const tabsAtOnce = 2;

export type Site = Awaited<ReturnType<typeof startSite>>;

/**
 * What tests of the hosted page share: the service, a browser, a shop and its site. Made before the first
 * test of the block that asks for it. Its tests run side by side (`it.concurrent`): each has a payment and a
 * browser context of its own, and most of its time is spent waiting for the other side.
 */
export class HostedPage {
  world!: World;
  shop!: Shop;
  browser!: Browser;
  site!: Site;
  #tabs = 0;
  readonly #waiting: (() => void)[] = [];

  /** `parts`: of the world, where it is not to have all of them; `settings` replace its own. */
  constructor(parts: Parameters<typeof createWorld>[1] = {}, settings: Record<string, string> = {}) {
    beforeAll(async () => {
      [this.world, this.browser, this.site] = await Promise.all([
        createWorld(settings, parts),
        launchBrowser(),
        startSite(),
      ]);
      this.shop = new Shop(this.world.baseUrl, await this.world.key(await this.world.merchant(), 'sandbox'));
    });
    afterAll(async () => {
      await this.browser.close();
      this.site.close();
      await this.world.close();
    });
  }

  /** A hosted payment whose shop takes the customer back at `/ok` and `/no`. */
  async create(
    fields: Record<string, unknown> = {},
    by: Shop = this.shop,
  ): Promise<{ id: string; url: string; client: PageClient }> {
    const answer = await by.create({
      successUrl: `${this.site.origin}/ok`,
      cancelUrl: `${this.site.origin}/no`,
      ...fields,
    });
    const { data } = answer.body;
    if (!data) throw new Error(`create answered ${answer.status} ${answer.text}`);
    const url = String(data['checkoutUrl']);
    return { id: String(data['id']), url, client: new PageClient(url, this.world.vaultUrl) };
  }

  /** Gives a test a browser context of its own, once there are not too many of them. */
  async inTab(test: (tab: Tab) => Promise<void>, options?: BrowserContextOptions): Promise<void> {
    while (this.#tabs >= tabsAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#tabs += 1;
    try {
      const tab = await openTab(this.browser, options);
      try {
        await test(tab);
      } catch (error) {
        throw new Error(`${String(error)}\n${await this.#whatIsSeen(tab)}`, { cause: error });
      } finally {
        await tab.page.context().close();
      }
    } finally {
      this.#tabs -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** For the reader of a failure: the page as it is, and the service's warnings. */
  async #whatIsSeen({ page }: Tab): Promise<string> {
    const text = await page.innerText('body', { timeout: 1_000 }).catch(() => 'nothing');
    const warnings = this.world.logs.filter((line) => /"level":[456]0/.test(line)).slice(-5);
    return [`The page ${new URL(page.url()).pathname} shows: ${text}`, ...warnings].join('\n');
  }
}
