import type { Browser, BrowserContextOptions } from 'playwright-core';
import { Shop } from './shop.ts';
import { type World, createWorld } from './world.ts';
import { type Tab, launchBrowser, openTab, startSite } from './browser.ts';
import { PageClient } from './page-client.ts';

/** A browser keeps a core busy, so more tabs at once only slow each other down. */
const tabsAtOnce = 2;

export type Site = Awaited<ReturnType<typeof startSite>>;

/**
 * The shared parts of tests of the hosted page: the service, a browser, a shop and its site. They are created
 * before the first test of the block that uses them. Tests run concurrently (`it.concurrent`), each with its
 * own payment and browser context, because most of their time is spent waiting.
 */
export class HostedPage {
  world!: World;
  shop!: Shop;
  browser!: Browser;
  site!: Site;
  #tabs = 0;
  readonly #waiting: (() => void)[] = [];

  /** `parts`: of the world, when it must not have all of them; `settings` replace its own. */
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

  /** Creates a hosted payment whose shop receives the customer at `/ok` and `/no`. */
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

  /** Runs a test in its own browser context, once there are not too many of them. */
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

  /** Returns the page's text and the service's warnings, for the message of a failure. */
  async #whatIsSeen({ page }: Tab): Promise<string> {
    const text = await page.innerText('body', { timeout: 1_000 }).catch(() => 'nothing');
    const warnings = this.world.logs.filter((line) => /"level":[456]0/.test(line)).slice(-5);
    return [`The page ${new URL(page.url()).pathname} shows: ${text}`, ...warnings].join('\n');
  }
}
