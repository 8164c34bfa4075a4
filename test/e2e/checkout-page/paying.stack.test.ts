import type { Page } from 'playwright-core';
import { eventually, ledger } from '../../support/shop.ts';
import { withBrowser } from '../../support/browser.ts';
import { fillCard, payByCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { proves } from '../../support/proves.ts';

withBrowser('paying on the hosted page', () => {
  const hosted = new HostedPage();
  const create = () =>
    hosted.create({
      successUrl: `${hosted.site.origin}/ok?order=1&b=%20c`,
      cancelUrl: `${hosted.site.origin}/no?order=1`,
    });
  const captured = async (id: string) =>
    (await ledger(hosted.world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;
  const backAtShop = (page: Page) => page.waitForURL(`${hosted.site.origin}/ok?order=1&b=%20c`);

  it.concurrent(
    proves(
      'charges a card once and sends the browser to successUrl, byte for byte',
      'MODE-02',
      'PAGE-01',
      'PAGE-09',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url } = await create();
        await tab.page.goto(url);
        expect(await tab.page.locator('.amount').textContent()).toContain('$25.00');
        await payByCard(tab.page);
        await backAtShop(tab.page);
        expect(await hosted.shop.read(id)).toMatchObject({
          status: 'paid',
          method: 'card',
          cardLast4: '4242',
        });
        expect(await captured(id)).toBe(1);
        expect(tab.complaints).toEqual([]);
      }),
  );

  it.concurrent.each(['card', 'pix'])(
    'Pay by %s is busy and says what happens in the frame after the press, before any answer',
    (method) =>
      hosted.inTab(async ({ page }) => {
        const { url } = await create();
        await page.goto(url);
        await page.getByTestId(`method-${method}`).click();
        if (method === 'card') await fillCard(page);
        let release = (): void => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        for (const path of ['**/capture', '**/pay?*']) {
          await page.route(path, (route) => released.then(() => route.continue()));
        }
        await page.evaluate(`{
          const pay = document.getElementById('pay');
          const look = () => [pay.getAttribute('aria-disabled'), pay.innerText,
            getComputedStyle(pay, '::before').animationName !== 'none',
            document.getElementById('methods').disabled];
          window.nextFrame = new Promise((resolve) => {
            pay.addEventListener('click', () => requestAnimationFrame(() => resolve(look())), { once: true });
          });
          // The promise is not the answer of this script, which would wait for the press.
          undefined;
        }`);
        await page.getByTestId('pay').click();
        expect(await page.evaluate('nextFrame')).toEqual(['true', 'Processing…', true, true]);
        release();
        await (method === 'card' ? backAtShop(page) : page.getByTestId('state-pix').waitFor());
      }),
  );

  it.concurrent(
    proves('forwards to the shop when the payment is paid while the page reloads', 'PAGE-09'),
    () =>
      hosted.inTab(async (tab) => {
        const { url, client } = await create();
        await client.payByCard('4242424242424242');
        await tab.page.goto(`${url}#status`);
        await backAtShop(tab.page);
        // The plain link shows the payment as paid and does not forward.
        await tab.page.goto(url);
        await tab.page.getByTestId('state-paid').waitFor();
        expect(await tab.page.getByTestId('back-to-shop').getAttribute('href')).toBe(
          `${hosted.site.origin}/ok?order=1&b=%20c`,
        );
      }),
  );

  it.concurrent(proves('accepts another card after a declined one', 'AMB-64'), () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await create();
      await tab.page.goto(url);
      await payByCard(tab.page, '4000000000000002');
      await tab.page.getByTestId('attempt-failed').waitFor();
      expect(await tab.page.getByTestId('attempt-failed').textContent()).toContain('4 attempts left');
      expect(await hosted.shop.read(id)).toMatchObject({ status: 'pending' });
      await payByCard(tab.page);
      await backAtShop(tab.page);
      expect(await captured(id)).toBe(1);
    }),
  );

  it.concurrent('shows a card that the vault rejects at its field, until the number changes', () =>
    hosted.inTab(async ({ page }) => {
      const { url } = await create();
      await page.goto(url);
      await payByCard(page, '4111111111111111');
      const fields = page.frameLocator('#card-fields iframe');
      const number = fields.locator('input[name="card_number"]');
      await fields.getByText('Only test cards work here').waitFor();
      await page.locator('#pay:not([aria-disabled])').waitFor();
      // The page has received the refusal, and still shows the message and the field to correct.
      expect(await fields.locator('#card_number_problem').textContent()).toContain('4242 4242 4242 4242');
      expect(await fields.locator('#test-cards').isVisible()).toBe(true);
      expect(await fields.locator('input:focus').getAttribute('name')).toBe('card_number');
      // Leaving the field keeps the message too.
      await fields.locator('input[name="card_cvv"]').focus();
      expect(await number.getAttribute('aria-invalid')).toBe('true');
      await number.fill('4242424242424242');
      expect(await fields.locator('#card_number_problem').textContent()).toBe('');
      await page.getByTestId('pay').click();
      await backAtShop(page);
    }),
  );

  it.concurrent(
    proves('shows the challenge inside the page and confirms it automatically', 'FLOW-06', 'PAGE-07'),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url } = await create();
        await tab.page.goto(url);
        await payByCard(tab.page, '4000000000003220');
        const step = tab.page.frameLocator('#challenge');
        await step.getByTestId('challenge-approve').waitFor();
        expect(await hosted.shop.read(id)).toMatchObject({ status: 'requiresAction' });
        // After a reload and on a second device: the same step, and no card field.
        await tab.page.reload();
        await step.getByTestId('challenge-approve').waitFor();
        expect(await tab.page.locator('#card-fields').count()).toBe(0);
        await step.getByTestId('challenge-approve').click();
        await backAtShop(tab.page);
        expect(await captured(id)).toBe(1);
      }),
  );

  it.concurrent(proves('pays with a wallet that is approved on its own page', 'AMB-56'), () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await create();
      await tab.page.goto(url);
      await tab.page.getByTestId('method-wallet').click();
      await tab.page.getByTestId('pay').click();
      await tab.page.getByTestId('wallet-approve').click();
      await backAtShop(tab.page);
      expect(await hosted.shop.read(id)).toMatchObject({ status: 'paid', method: 'wallet' });
      expect(await captured(id)).toBe(1);
    }),
  );

  it.concurrent(proves('shows a pix as code and QR code, and updates when it is paid', 'AMB-56'), () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await create();
      await tab.page.goto(url);
      await tab.page.getByTestId('method-pix').click();
      await tab.page.getByTestId('pay').click();
      await tab.page.getByTestId('state-pix').waitFor();
      expect(await tab.page.locator('#pix-code').inputValue()).toMatch(/^000201.*6304[0-9A-F]{4}$/);
      const settle = await tab.page.getByTestId('pix-sandbox').getAttribute('href');
      await hosted.inTab(async (bank) => {
        await bank.page.goto(settle ?? '');
        await bank.page.getByTestId('pix-settle').click();
        await backAtShop(tab.page);
      });
      expect(await hosted.shop.read(id)).toMatchObject({ status: 'paid', method: 'pix' });
      expect(await captured(id)).toBe(1);
      await eventually(async () => ((await hosted.shop.read(id))['status'] === 'paid' ? true : undefined));
    }),
  );
});
