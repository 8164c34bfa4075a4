import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/shop.ts';
import { accessibilityFaults, withBrowser } from '../../support/browser.ts';
import { fillCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';

/** `npm run docs:checkout-screenshots` sets it: pictures of every state go to docs/checkout/. */
const pictures = process.env['CHECKOUT_SCREENSHOTS'];

withBrowser('every state of the hosted page', () => {
  const hosted = new HostedPage();
  const complaints: string[] = [];

  beforeAll(async () => {
    await hosted.world.database.query("UPDATE merchants SET name = 'Blue Bottle Books'");
    if (pictures) await mkdir(pictures, { recursive: true });
  });

  const create = async (fields: Record<string, unknown> = {}) => {
    const { id, url, client } = await hosted.create({
      reference: 'Order 1042',
      amountCents: 4250,
      ...fields,
    });
    return { id, url, page: client };
  };
  const picture = async (page: Page, name: string) => {
    if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  };

  /** Each brings a new payment into a state; returns the page's address and what must be on it. */
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
      let refused: unknown;
      page.payByCard('4000000000007205').catch((error: unknown) => (refused = error));
      await eventually(async () => {
        if (refused) throw refused;
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
      const moved = await hosted.shop.call(
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
    'unknown-link': async () => ({ url: `${hosted.world.baseUrl}/c/${'x'.repeat(43)}`, shows: 'main' }),
  };

  it.concurrent.each(Object.keys(states))(
    '%s: no accessibility fault in any language, light and dark, and no sideways scrolling at 320 px',
    (name) =>
      hosted.inTab(
        async (tab) => {
          const { url, shows } = (await states[name]?.()) ?? { url: '', shows: '' };
          const { page } = tab;
          const texts: string[] = [];
          // English last: what follows is looked at on the same page.
          for (const lang of ['es', 'pt', 'en']) {
            await page.goto(`${url}?lang=${lang}`);
            await page.locator(shows).first().waitFor();
            expect(await page.locator('html').getAttribute('lang')).toBe(lang);
            expect(await accessibilityFaults(page)).toEqual([]);
            texts.push((await page.locator('main').textContent()) ?? '');
          }
          expect(new Set(texts).size).toBe(3);
          if (name === 'open' || name === 'failed-attempt') {
            await page.locator('#card-fields iframe.ready').waitFor();
            if (name === 'open') await fillCard(page);
          }
          await picture(page, name);
          await page.emulateMedia({ colorScheme: 'dark' });
          expect(await accessibilityFaults(page)).toEqual([]);
          if (['open', 'pix', 'challenge', 'paid'].includes(name)) await picture(page, `${name}-dark`);
          await page.emulateMedia({ colorScheme: 'light' });
          await page.setViewportSize({ width: 320, height: 640 });
          const wide = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          expect(wide).toBe(0);
          complaints.push(...tab.complaints);
        },
        { viewport: { width: 390, height: 780 }, colorScheme: 'light' },
      ),
  );

  it('says nothing in the browser console that a policy was broken', () => {
    // The unknown link is a 404, which Chromium reports as such.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});
