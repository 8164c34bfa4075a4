import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Shop, eventually } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { type Tab, accessibilityFaults, fillCard, launchBrowser, openTab, withBrowser } from './browser.ts';
import { PageClient } from './page-client.ts';

/** `npm run` of scripts/checkout-screenshots.mjs sets it: pictures of every state go to docs/checkout/. */
const pictures = process.env['CHECKOUT_SCREENSHOTS'];

withBrowser('every state of the hosted page', () => {
  let world: World;
  let shop: Shop;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    [world, browser] = await Promise.all([createWorld(), launchBrowser()]);
    shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    await world.database.query("UPDATE merchants SET name = 'Blue Bottle Books'");
    tab = await openTab(browser, { viewport: { width: 390, height: 780 }, colorScheme: 'light' });
    if (pictures) await mkdir(pictures, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  const create = async (fields: Record<string, unknown> = {}) => {
    const { data } = (await shop.create({ reference: 'Order 1042', amountCents: 4250, ...fields })).body;
    const url = String(data?.['checkoutUrl']);
    return { id: String(data?.['id']), url, page: new PageClient(url, world.vaultUrl) };
  };
  const picture = async (name: string) => {
    if (pictures) await tab.page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  };

  /** Each brings a new payment into a state; answers the page's address and what must be on it. */
  const states: Record<string, () => Promise<{ url: string; shows: string }>> = {
    open: async () => ({ url: (await create()).url, shows: '#pay-form' }),
    'failed-attempt': async () => {
      const { url, page } = await create();
      await page.payByCard('4000000000009995');
      return { url, shows: '[data-testid="attempt-failed"]' };
    },
    processing: async () => {
      const { url, page } = await create();
      // Its answer takes longer than this test looks at the page.
      void page.payByCard('4000000000007205').catch(() => undefined);
      await eventually(async () => {
        const text = await (await fetch(url)).text();
        return text.includes('state-processing') ? true : undefined;
      });
      return { url, shows: '[data-testid="state-processing"]' };
    },
    challenge: async () => {
      const { url, page } = await create();
      await page.payByCard('4000000000003220');
      return { url, shows: '[data-testid="state-challenge"]' };
    },
    wallet: async () => {
      const { url, page } = await create();
      await page.pay('wallet');
      return { url, shows: '[data-testid="state-wallet"]' };
    },
    pix: async () => {
      const { url, page } = await create();
      await page.pay('pix');
      return { url, shows: '[data-testid="state-pix"]' };
    },
    paid: async () => {
      const { url, page } = await create();
      await page.payByCard('4242424242424242');
      return { url, shows: '[data-testid="state-paid"]' };
    },
    'closed-expired': async () => {
      const { id, url } = await create();
      const moved = await shop.call(
        'POST',
        `/v1/sandbox/payments/${id}/advance-clock`,
        { bySeconds: 3600 },
        { 'idempotency-key': randomUUID() },
      );
      expect(moved.status).toBe(200);
      return { url, shows: '[data-testid="state-closed"]' };
    },
    'closed-attempts-exhausted': async () => {
      const { url, page } = await create();
      const card = await page.card('4000000000000002');
      for (let attempt = 0; attempt < 5; attempt += 1) await page.post('pay', { method: 'card', ...card });
      return { url, shows: '[data-testid="state-closed"]' };
    },
    'closed-failed-for-good': async () => {
      const { url, page } = await create();
      await page.payByCard('4000000000009987');
      return { url, shows: '[data-testid="state-closed"]' };
    },
    'pay-at-the-shop': async () => ({
      url: (await create({ checkoutMode: 'custom' })).url,
      shows: '[data-testid="state-elsewhere"]',
    }),
    'unknown-link': async () => ({ url: `${world.baseUrl}/c/${'x'.repeat(43)}`, shows: 'main' }),
  };

  it.each(Object.keys(states))(
    '%s: no accessibility fault in any language, light and dark, and no sideways scrolling at 320 px',
    async (name) => {
      const { url, shows } = (await states[name]?.()) ?? { url: '', shows: '' };
      const { page } = tab;
      const texts: string[] = [];
      for (const lang of ['en', 'es', 'pt']) {
        await page.goto(`${url}?lang=${lang}`);
        await page.locator(shows).first().waitFor();
        expect(await page.locator('html').getAttribute('lang')).toBe(lang);
        expect(await accessibilityFaults(page)).toEqual([]);
        texts.push((await page.locator('main').textContent()) ?? '');
      }
      expect(new Set(texts).size).toBe(3);
      await page.goto(`${url}?lang=en`);
      if (name === 'open' || name === 'failed-attempt') {
        await page.frameLocator('#card-fields iframe').locator('input[name="card_number"]').waitFor();
        if (name === 'open') await fillCard(page);
      }
      await picture(name);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityFaults(page)).toEqual([]);
      if (['open', 'pix', 'challenge', 'paid'].includes(name)) await picture(`${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 320, height: 640 });
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(wide).toBe(0);
      await page.setViewportSize({ width: 390, height: 780 });
    },
  );

  it('says nothing in the browser console that a policy was broken', () => {
    // The unknown link is a 404, which Chromium reports as such.
    expect(tab.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});
