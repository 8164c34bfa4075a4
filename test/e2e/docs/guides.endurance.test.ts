import { execFileSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { registerGuides } from '../../../src/api/docs/guides.ts';
import { launchBrowser, openTab, withBrowser } from '../../support/browser.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const widths = [390, 820, 1280];

withBrowser('the guides at /guides/', () => {
  let browser: Browser;
  let app: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    execFileSync(process.execPath, [join(projectRoot, 'scripts/site/build.mjs')], {
      cwd: projectRoot,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    browser = await launchBrowser();
    app = fastify();
    registerGuides(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  }, 600_000);
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const open = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${origin}/guides/${path}`, { waitUntil: 'networkidle' });
  };

  it.each(['light', 'dark'] as const)(
    'fit three widths in %s, with no violation and no other origin',
    async (colorScheme) => {
      const { page, requests, complaints } = await openTab(browser, { colorScheme });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of ['', 'quickstart', 'docs/checkout', 'docs/errors']) {
          await open(page, path);
          const scrolled = await page.evaluate(() => document.documentElement.scrollWidth);
          expect([path, width, scrolled <= width]).toEqual([path, width, true]);
        }
      }
      expect(requests.filter(({ url }) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it('are searched on this machine, also for what looks like a script, and show tabs of the languages', async () => {
    const { page, requests, complaints } = await openTab(browser);
    await open(page, 'quickstart');
    await page.getByText('Python', { exact: true }).first().click();
    await page.getByText('from card_payments import CardPayments').first().waitFor();
    await page.keyboard.press('Control+k');
    const box = page.locator('input.search-input');
    await box.fill('<script>alert(1)</script>');
    await box.fill('createOnce idempotency');
    await page.getByRole('option').first().waitFor();
    await box.press('Enter');
    await page.waitForURL(/#/);
    expect(requests.filter(({ url }) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('are read without script', async () => {
    const { page } = await openTab(browser, { javaScriptEnabled: false });
    await open(page, 'quickstart');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Quickstart');
    expect(await page.getByText('from card_payments import CardPayments').count()).toBeGreaterThan(0);
  });
});
