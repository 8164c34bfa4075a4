import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../support/browser.ts';
import { payByCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { ledger } from '../../support/shop.ts';

withBrowser('the half hour of a hosted page', () => {
  const hosted = new HostedPage({}, { SWEEP_SECONDS: '1' });

  /** Advances the payment's clock, and then the browser's, until `leftSeconds` are left. */
  const liveUntil = async (page: Page, id: string, leftSeconds: number): Promise<void> => {
    const { expiresAt } = await hosted.shop.read(id);
    const bySeconds = Math.floor((Date.parse(String(expiresAt)) - Date.now()) / 1_000) - leftSeconds;
    if (bySeconds < 1) return;
    const moved = await hosted.shop.call(
      'POST',
      `/v1/sandbox/payments/${id}/advance-clock`,
      { bySeconds },
      { 'idempotency-key': randomUUID() },
    );
    expect(moved.status).toBe(200);
    await page.clock.runFor(bySeconds * 1_000);
  };
  /** Counts the page's loads and requests. */
  const countCalls = (page: Page) => {
    const count = { loads: 0, states: 0, fields: 0 };
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) count.loads += 1;
      if (path.endsWith('/state')) count.states += 1;
      if (path.endsWith('/card-fields')) count.fields += 1;
    });
    return count;
  };
  const number = (page: Page) =>
    page.frameLocator('#card-fields iframe').locator('input[name="card_number"]');
  const access = async (id: string) => {
    const { rows } = await hosted.world.database.query<{ status: string }>(
      'SELECT status FROM capture_access WHERE payment_id = $1',
      [id],
    );
    return rows[0]?.status;
  };

  it.concurrent(
    'a card pays at 29:00 on the page that was opened at 0:00, and the card fields stay valid until then',
    () =>
      hosted.inTab(async ({ page }) => {
        const { id, url, client } = await hosted.create();
        await page.clock.install();
        const count = countCalls(page);
        await page.goto(url);
        await number(page).waitFor();
        const responses: unknown[] = [];
        for (let minute = 1; minute <= 29; minute += 1) {
          await liveUntil(page, id, (30 - minute) * 60);
          // Longer than the window of custom capture.
          if (minute % 6 === 5)
            responses.push((await client.post('card-fields', {})).status, await access(id));
        }
        expect(responses).toEqual(Array.from({ length: 5 }, () => [200, 'registered']).flat());
        await page.locator('.deadline.urgent').waitFor();
        expect(count).toMatchObject({ loads: 1, fields: 1 });
        // The page polls every 15 s at first, and less often with time.
        expect(count.states).toBeLessThanOrEqual(29 * 4);
        await payByCard(page);
        await page.waitForURL(`${hosted.site.origin}/ok`);
        expect((await ledger(hosted.world.networkUrl, id)).charges.map(({ status }) => status)).toEqual([
          'captured',
        ]);
      }),
  );

  it.concurrent('at 30:00 the page shows once that the payment has expired, and stops polling', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url, client } = await hosted.create();
      await page.clock.install();
      const count = countCalls(page);
      await page.goto(url);
      await number(page).waitFor();
      await liveUntil(page, id, 60);
      expect(await page.getByTestId('pay').count()).toBe(1);
      await liveUntil(page, id, 0);
      // In single seconds, so that the page's limit of reloads per minute does not pass during the reload.
      for (let second = 0; second < 60 && count.loads < 2; second += 1) await page.clock.runFor(1_000);
      await page.getByTestId('state-closed').waitFor();
      await page.getByText('This payment has expired').waitFor();
      expect((await client.post('card-fields', {})).status).toBe(410);
      const { states } = count;
      for (let minute = 0; minute < 10; minute += 1) await page.clock.runFor(60_000);
      expect(count.loads).toBe(2);
      expect(count.states).toBe(states);
      expect(await hosted.shop.read(id)).toMatchObject({ status: 'pending' });
    }),
  );
});
