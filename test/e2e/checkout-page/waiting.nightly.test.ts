import type { Page, Route } from 'playwright-core';
import { messages } from '../../../src/checkout-page/messages.ts';
import { withBrowser } from '../../support/browser.ts';
import { fillCard, payByCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { eventually, ledger } from '../../support/shop.ts';

/** Returns a gate that holds requests until it is opened. */
function gate() {
  let open = (): void => undefined;
  let close = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  /** Resolves when the first request is held. */
  const held = new Promise<void>((resolve) => {
    close = resolve;
  });
  const hold = (route: Route) => {
    close();
    return opened.then(() => route.continue());
  };
  return { open: () => open(), hold, held };
}

withBrowser('the hosted page while it waits', () => {
  const hosted = new HostedPage();
  const charges = async (id: string) =>
    (await ledger(hosted.world.networkUrl, id)).charges.map(({ status }) => status);
  const backAtShop = (page: Page) => page.waitForURL(`${hosted.site.origin}/ok`);
  const framePages = () => `${hosted.world.vaultUrl}/frame/*?*`;
  const mayPay = (page: Page) => page.locator('#pay:not([aria-disabled])').waitFor();
  const number = (page: Page) =>
    page.frameLocator('#card-fields iframe').locator('input[name="card_number"]');
  /** Counts how often the page itself was loaded. */
  const countLoads = (page: Page) => {
    const count = { loads: 0 };
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) count.loads += 1;
    });
    return count;
  };

  // The card fields are ready once they send `ready`.

  it.concurrent('Pay waits visibly while the card fields load, and then asks for the card', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      const frame = gate();
      await page.route(framePages(), frame.hold);
      await page.goto(url);
      await page.getByTestId('pay').click();
      expect(await page.getByTestId('pay').textContent()).toBe('Loading the card form…');
      // Nothing was sent, so the customer can still choose another method, and card again.
      await page.getByTestId('method-wallet').click();
      await mayPay(page);
      await page.getByTestId('method-card').click();
      await page.getByTestId('pay').click();
      frame.open();
      // Nothing was typed, so no field shows an error.
      await page.getByText('Enter your card details to pay.').waitFor();
      await mayPay(page);
      const fields = page.frameLocator('#card-fields iframe');
      expect(await fields.locator('.problem:visible').count()).toBe(0);
      await fields.locator('input[name="card_number"]:focus').waitFor();
      await payByCard(page);
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent(
    'explains fields that do not load within 8 s, offers to try again, and keeps the other methods',
    () =>
      hosted.inTab(async ({ page }) => {
        const { id, url } = await hosted.create();
        await page.clock.install();
        await page.route(`${hosted.world.vaultUrl}/**`, (route) => route.abort('connectionrefused'));
        await page.goto(url);
        await page.locator('#card-fields iframe').waitFor({ state: 'attached' });
        await page.getByTestId('pay').click();
        await page.clock.fastForward(8_000);
        await page.getByText("The card form didn't load.").waitFor();
        await mayPay(page);
        await page.unroute(`${hosted.world.vaultUrl}/**`);
        await page.getByRole('button', { name: 'Try again' }).click();
        await number(page).waitFor();
        await page.getByTestId('method-wallet').click();
        await page.getByTestId('pay').click();
        await page.getByTestId('wallet-approve').click();
        await backAtShop(page);
        expect(await charges(id)).toEqual(['captured']);
      }),
  );

  it.concurrent('uses fields that load late', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.clock.install();
      const frame = gate();
      await page.route(framePages(), frame.hold);
      await page.goto(url);
      await page.locator('#card-fields iframe').waitFor({ state: 'attached' });
      await page.clock.fastForward(8_000);
      await page.locator('#card-trouble').waitFor();
      frame.open();
      await payByCard(page);
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('enables Pay again when the fields do not answer and the server reports no payment', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.clock.install();
      const capture = gate();
      await page.route('**/capture', capture.hold);
      await page.goto(url);
      // The fields' own time-out, which would answer first, is disabled.
      await number(page).evaluate('AbortSignal.timeout = () => new AbortController().signal');
      await payByCard(page);
      await capture.held;
      await page.clock.fastForward(20_000);
      await page.getByText("We couldn't send your payment.").waitFor();
      await mayPay(page);
      capture.open();
      // The fields' late answer is ignored; only a new Pay pays.
      await page.getByTestId('pay').click();
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('enables Pay again when the attempt cannot be sent, and keeps the typed card', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.goto(url);
      await page.route('**/pay?*', (route) => route.abort());
      await payByCard(page);
      await page.getByText("We couldn't send your payment.").waitFor();
      expect(await number(page).inputValue()).toBe('4242 4242 4242 4242');
      await page.unroute('**/pay?*');
      await page.getByTestId('pay').click();
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('ignores malformed messages of the frame and does not freeze', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.route(framePages(), (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<script>
            const send = (message) => parent.postMessage({ source: 'cardvault-frame', v: 1, ...message }, '${hosted.world.baseUrl}');
            addEventListener('message', ({ data }) => {
              if (data.type !== 'submit') return;
              for (const token of [null, 7, 'short', 'x'.repeat(5000), {}]) send({ type: 'token', id: data.id, token, reference: 'r' });
            });
            for (const height of [-1, 1e9, 'tall', null]) send({ type: 'resize', height });
            for (const nonsense of [null, 1, 'x', [], { type: 'ready' }]) parent.postMessage(nonsense, '*');
            send({ type: 'ready' });
          </script>`,
        }),
      );
      await page.goto(url);
      await page.locator('#card-fields iframe.ready').waitFor();
      await page.getByTestId('pay').click();
      await page.getByText("We couldn't send your payment.").waitFor();
      await mayPay(page);
      expect(await charges(id)).toEqual([]);
    }),
  );

  // The state comes from the server, with no more requests than needed.

  it.concurrent('does not reload when card fields are refused while the payment stays open', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.clock.install();
      await hosted.world.database.query(
        `INSERT INTO capture_access (payment_id, status, ends_at) VALUES ($1, 'ended', now())
         ON CONFLICT (payment_id) DO UPDATE SET secret_sealed = NULL, status = 'ended'`,
        [id],
      );
      const count = countLoads(page);
      await page.goto(url);
      await page.locator('#card-trouble').waitFor();
      for (let minute = 0; minute < 3; minute += 1) await page.clock.fastForward(60_000);
      expect(count.loads).toBe(1);
      await page.getByTestId('method-wallet').click();
      await page.getByTestId('pay').click();
      await page.getByTestId('wallet-approve').waitFor();
    }),
  );

  it.concurrent('reloads less and less often for a state that the page never shows', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      let requests = 0;
      await page.route('**/state?*', (route) => {
        requests += 1;
        return route.fulfill({
          json: { fingerprint: 'wallet.9.9', kind: 'wallet', paid: false, next: `${url}#status` },
        });
      });
      const count = countLoads(page);
      const begunAt = Date.now();
      await page.goto(url);
      for (let sample = 0; sample < 30; sample += 1) {
        await page.getByTestId('pay').waitFor();
        const answered = page.waitForResponse('**/state?*');
        await page.evaluate(`window.dispatchEvent(new Event('online'))`).catch(() => undefined);
        await answered.catch(() => undefined);
      }
      expect(requests).toBeGreaterThanOrEqual(20);
      // One load at first, one for the new state, and then after 2 s, 4 s and so on up to a minute.
      let maxLoads = 2;
      for (let passed = 0, pause = 2_000; (passed += pause) <= Date.now() - begunAt; maxLoads += 1) {
        pause = Math.min(60_000, pause * 2);
      }
      expect(count.loads).toBeLessThanOrEqual(maxLoads);
      await number(page).waitFor();
    }),
  );

  it.concurrent.each([
    ['cut off', '{"fingerprint":"op'],
    ['of another kind', '[]'],
    ['half of one', '{"fingerprint":"paid.1.5","paid":true}'],
    ['a page', '<!doctype html><p>502</p>'],
  ])('keeps the last known state when a state answer is %s', (_case, body) =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.route('**/state?*', (route) => route.fulfill({ contentType: 'application/json', body }));
      const count = countLoads(page);
      await page.goto(url);
      await number(page).waitFor();
      const answered = page.waitForResponse('**/state?*');
      await page.evaluate(`window.dispatchEvent(new Event('online'))`);
      await answered;
      await payByCard(page);
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
      // One load of the page, and one of the shop.
      expect(count.loads).toBe(2);
    }),
  );

  // After Pay.

  it.concurrent('shows a running payment at once, in every tab, without links to other pages', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.goto(url);
      await payByCard(page, '4000000000007304');
      await page.getByText('Processing your payment with Visa ···· 7304').waitFor();
      expect(await page.locator('#method-wallet').isDisabled()).toBe(true);
      expect(await number(page).inputValue()).toBe('4000 0000 0000 7304');
      expect(await number(page).getAttribute('readonly')).toBe('');
      for (const away of [page.getByTestId('cancel'), page.locator('#languages')]) {
        expect(await away.isVisible()).toBe(false);
      }
      const other = await page.context().newPage();
      await other.goto(url);
      await other.getByTestId('state-processing').waitFor();
      expect(await other.locator('main').textContent()).toContain(
        "We're confirming your payment. Don't pay again. This page updates automatically.",
      );
      expect(await other.locator('[data-testid="pay"], [data-testid="cancel"], #languages').count()).toBe(0);
      await Promise.all([backAtShop(page), backAtShop(other)]);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('announces a long wait after 8 s, and again after 30 s', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      await page.clock.install();
      const pay = gate();
      await page.route('**/pay?*', pay.hold);
      await page.goto(url);
      await payByCard(page);
      await page.getByText('Processing your payment with Visa ···· 4242').waitFor();
      expect(await page.locator('#live span').count()).toBe(1);
      await page.clock.fastForward(8_000);
      await page.getByText('a little longer than usual').waitFor();
      await page.clock.fastForward(22_000);
      await page.getByText("We're still waiting for confirmation.").waitFor();
      pay.open();
      await backAtShop(page);
    }),
  );

  it.concurrent(
    'shows a declined card on the same page, keeps number and expiry, and asks for the code again',
    () =>
      hosted.inTab(async ({ page }) => {
        const { id, url } = await hosted.create();
        const count = countLoads(page);
        await page.goto(url);
        await payByCard(page, '4000000000009995');
        await page.getByTestId('attempt-failed').waitFor();
        expect(count.loads).toBe(1);
        expect(await number(page).inputValue()).toBe('4000 0000 0000 9995');
        const code = page.frameLocator('#card-fields iframe').locator('input[name="card_cvv"]');
        await eventually(async () => ((await code.inputValue()) === '' ? true : undefined));
        await code.fill('123');
        await page.getByTestId('pay').click();
        await backAtShop(page);
        expect(await charges(id)).toEqual(['declined', 'captured']);
      }),
  );

  it.concurrent('"Use another card" empties the fields after a decline', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.goto(url);
      await payByCard(page, '4000000000000002');
      await page.getByRole('button', { name: 'Use another card' }).click();
      await page.getByTestId('attempt-failed').waitFor({ state: 'detached' });
      await eventually(async () => ((await number(page).inputValue()) === '' ? true : undefined));
      await page.frameLocator('#card-fields iframe').locator('input[name="card_number"]:focus').waitFor();
      await payByCard(page);
      await backAtShop(page);
      expect(await charges(id)).toEqual(['declined', 'captured']);
    }),
  );

  it.concurrent('has one voice offline: one line at once, and Pay sends nothing', () =>
    hosted.inTab(async ({ page, requests }) => {
      const { id, url } = await hosted.create();
      await page.goto(url);
      await page.getByTestId('method-card').click();
      await fillCard(page);
      // Shown in the frame after the browser noticed it, which is far below half a second.
      await page.evaluate(`{
        const line = document.getElementById('offline');
        const look = () => [line.checkVisibility(), line.textContent];
        window.nextFrame = new Promise((resolve) => {
          window.addEventListener('offline', () => requestAnimationFrame(() => resolve(look())), { once: true });
        });
        undefined;
      }`);
      await page.context().setOffline(true);
      expect(await page.evaluate('nextFrame')).toEqual([true, messages.en.offline]);
      const before = requests.length;
      await page.getByTestId('pay').click();
      expect(await page.locator('.alert:visible').count()).toBe(0);
      expect(requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
      await page.context().setOffline(false);
      await page.locator('#offline').waitFor({ state: 'hidden' });
      await page.getByTestId('pay').click();
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('shows one box when the card could not be sent after a decline', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      await page.goto(url);
      await payByCard(page, '4000000000000002');
      await page.getByTestId('attempt-failed').waitFor();
      await page.route('**/capture', (route) => route.abort());
      await fillCard(page);
      await page.getByTestId('pay').click();
      await page.frameLocator('#card-fields iframe').locator('#problem:visible').waitFor();
      await mayPay(page);
      expect(await page.locator('.alert:visible').count()).toBe(0);
    }),
  );

  it.concurrent('has words where the script is blocked, not a hole', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      await page.route('**/assets/page.js*', (route) => route.abort());
      await page.goto(url);
      await page.getByText("The card form didn't load.").waitFor();
      // It needs the script.
      expect(await page.locator('#card-again').isVisible()).toBe(false);
    }),
  );

  it.concurrent('pays on Enter in a card field', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.goto(url);
      await fillCard(page);
      await page.keyboard.press('Enter');
      await backAtShop(page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('"Pay another way" shows its cost before the click, and a neutral form after it', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await hosted.create();
      await page.goto(url);
      await page.getByTestId('method-pix').click();
      await page.getByTestId('pay').click();
      await page.getByText('This cancels the current attempt. 4 attempts left.').waitFor();
      await page.getByTestId('other-way').click();
      const failedNotice = page.getByTestId('attempt-failed');
      await failedNotice.waitFor();
      expect(await failedNotice.getAttribute('class')).toBe('note');
      expect(await failedNotice.getAttribute('role')).toBe('status');
      expect(await page.locator('input[name="method"]:checked').count()).toBe(0);
      await page.getByTestId('pay').click();
      await page.getByText('Choose a payment method.').waitFor();
      await eventually(async () =>
        (await page.evaluate('document.activeElement.name')) === 'method' ? true : undefined,
      );
    }),
  );
});
