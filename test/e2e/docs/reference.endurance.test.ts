import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';
import { registerDocs } from '../../../src/api/docs/index.ts';
import { launchBrowser, openTab, withBrowser } from '../../support/browser.ts';

/** The largest transfer of the first view, in bytes. */
const maxBytes = 1_500_000;

withBrowser('the reference at /docs', () => {
  let browser: Browser;
  let app: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    app = fastify();
    registerDocs(app, { publicUrl: 'https://pay.example' });
    await app.listen({ host: '127.0.0.1', port: 0 });
    origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it('finds an operation by its search and shows it in three languages, with no violation and no other origin', async () => {
    const { page, requests, complaints } = await openTab(browser);
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`violation: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    await page.goto(`${origin}/docs`);
    await page.getByRole('heading', { name: 'Card payments', level: 1 }).waitFor();
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(maxBytes);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').first().fill('Refund a payment');
    await page.getByRole('option', { name: /Refund a payment, in part/ }).click();
    await page.waitForURL(/refunds/);
    const section = page.locator('section[id$="POST/v1/payments/{id}/refunds"]');
    for (const [before, language, sample] of [
      ['curl', 'TypeScript', 'await cp.refunds.create('],
      ['TypeScript', 'Python', 'amount_cents=1000'],
    ] as const) {
      await section.getByRole('button', { name: before, exact: true }).first().click();
      await page.getByRole('option', { name: language, exact: true }).first().click();
      await section.getByText(sample).first().waitFor();
    }
    expect(requests.filter(({ url }) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is read without script, with the samples of each operation', async () => {
    const { page } = await openTab(browser, { javaScriptEnabled: false });
    await page.goto(`${origin}/docs`);
    const section = page.locator('#createRefund');
    await section.waitFor();
    expect(await section.textContent()).toContain('POST /v1/payments/{id}/refunds');
    expect(await section.locator('pre').count()).toBe(3);
  });
});
