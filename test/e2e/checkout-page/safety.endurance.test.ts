import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { withBrowser } from '../../support/browser.ts';
import { fillCard, payByCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { proves } from '../../support/proves.ts';

withBrowser('the hosted page is safe and usable', () => {
  const hosted = new HostedPage();
  const charges = async (id: string) =>
    (await ledger(hosted.world.networkUrl, id)).charges.map(({ status }) => status);
  const backAtShop = (page: Page) => page.waitForURL(`${hosted.site.origin}/ok`);
  const advanceClock = (id: string, bySeconds: number) =>
    hosted.shop.call(
      'POST',
      `/v1/sandbox/payments/${id}/advance-clock`,
      { bySeconds },
      { 'idempotency-key': randomUUID() },
    );

  // Card data.

  it.concurrent(
    proves('reaches the vault only, not the service, its logs or its database', 'MODE-06', 'PAGE-10'),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url } = await hosted.create();
        await tab.page.goto(url);
        await payByCard(tab.page, '5555555555554444');
        await backAtShop(tab.page);
        const toService = tab.requests.filter((request) => request.url.startsWith(hosted.world.baseUrl));
        expect(toService.length).toBeGreaterThan(3);
        const canary = /5555 ?5555 ?5555 ?4444/;
        expect(JSON.stringify(toService)).not.toMatch(canary);
        const withCard = tab.requests.filter((request) => canary.test(JSON.stringify(request)));
        expect(withCard.map((request) => new URL(request.url).origin)).toEqual([hosted.world.vaultUrl]);
        expect(hosted.world.logs.join('\n')).not.toMatch(canary);
        const { rows } = await hosted.world.database.query(
          `SELECT p::text AS payment, a::text AS attempts FROM payments p
         JOIN attempts a ON a.payment_id = p.id WHERE p.id = $1`,
          [id],
        );
        expect(rows).toHaveLength(1);
        expect(JSON.stringify(rows)).not.toMatch(canary);
      }),
  );

  // One charge at most.

  it.concurrent('twenty submits of the same card at once charge once', async () => {
    const { id, client } = await hosted.create();
    const card = await client.card('4242424242424242');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post('pay', { method: 'card', ...card })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // 503: so many calls arrived at once that none waited for an answer. The state then decides.
    for (const { status } of answers) expect([200, 409, 410, 503]).toContain(status);
    expect(await charges(id)).toEqual(['captured']);
  });

  it.concurrent('a double click, a second tab and a reload pay once; the second tab follows', () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await hosted.create();
      const other = await tab.page.context().newPage();
      await Promise.all([tab.page.goto(url), other.goto(url)]);
      await fillCard(tab.page);
      await fillCard(other);
      await tab.page.getByTestId('pay').dblclick();
      await other.getByTestId('pay').click();
      await Promise.all([backAtShop(tab.page), backAtShop(other)]);
      await tab.page.goto(url);
      await tab.page.getByTestId('state-paid').waitFor();
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('stays processing without an answer, and does not charge again after a reload', () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await hosted.create();
      await tab.page.goto(url);
      await payByCard(tab.page, '4000000000007304');
      // A page that is reloaded before it has sent the card is open again.
      await eventually(async () => ((await charges(id)).length === 1 ? true : undefined));
      await tab.page.reload();
      await tab.page.getByTestId('state-processing').waitFor();
      expect(await tab.page.getByTestId('pay').count()).toBe(0);
      await backAtShop(tab.page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent(
    proves(
      'a page kept open past the deadline starts no attempt, and the payment is not failed',
      'PAGE-08',
      'PAGE-05',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url, client } = await hosted.create();
        await tab.page.goto(url);
        await fillCard(tab.page);
        const card = await client.card('4242424242424242');
        await advanceClock(id, 3_600);
        await tab.page.getByTestId('pay').click();
        await tab.page.getByTestId('state-closed').waitFor();
        expect((await client.post('pay', { method: 'card', ...card })).status).toBe(410);
        expect(await charges(id)).toEqual([]);
        expect(await hosted.shop.read(id)).toMatchObject({ status: 'pending' });
      }),
  );

  it.concurrent(
    proves(
      'after a failed attempt another method may be used, and a step may be left for a card: five attempts in all',
      'AMB-64',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url } = await hosted.create();
        await tab.page.goto(url);
        await tab.page.getByTestId('method-wallet').click();
        await tab.page.getByTestId('pay').click();
        await tab.page.getByTestId('wallet-decline').click();
        await tab.page.getByTestId('attempt-failed').waitFor();
        await tab.page.getByTestId('method-pix').click();
        await tab.page.getByTestId('pay').click();
        await tab.page.getByTestId('other-way').click();
        await tab.page.getByTestId('attempt-failed').waitFor();
        expect(await tab.page.getByTestId('attempt-failed').textContent()).toContain('3 attempts left');
        await payByCard(tab.page);
        await backAtShop(tab.page);
        expect((await charges(id)).toSorted()).toEqual(['captured', 'declined', 'voided']);
        expect(await hosted.shop.read(id)).toMatchObject({ status: 'paid', method: 'card' });
      }),
  );

  // Methods.

  it.concurrent(
    proves('a fixed method is the only one on the page and the only one the server accepts', 'PAGE-02'),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url, client } = await hosted.create({ paymentMethod: 'card' });
        await tab.page.goto(url);
        await tab.page.getByTestId('method-card').waitFor();
        expect(await tab.page.getByTestId('method-wallet').count()).toBe(0);
        expect(await tab.page.getByTestId('method-pix').count()).toBe(0);
        for (const method of ['wallet', 'pix'] as const) {
          expect(await client.pay(method)).toMatchObject({
            status: 422,
            body: { error: { code: 'validation_failed' } },
          });
        }
        expect(await hosted.shop.status(id)).toMatchObject({});
        expect(await charges(id)).toEqual([]);
      }),
  );

  it.concurrent(
    proves(
      'without a fixed method, exactly the methods that key and merchant allow are offered',
      'PAGE-03',
      'MODE-03',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const merchant = await hosted.world.merchant();
        const cardOnly = new Shop(
          hosted.world.baseUrl,
          await hosted.world.key(merchant, 'sandbox', { methods: ['card'] }),
        );
        const all = new Shop(hosted.world.baseUrl, await hosted.world.key(merchant, 'sandbox'));
        const offered = async (by: Shop) => {
          await tab.page.goto((await hosted.create({}, by)).url);
          return tab.page.evaluate(
            `[...document.querySelectorAll('input[name="method"]')].map(({ value }) => value)`,
          );
        };
        expect(await offered(all)).toEqual(['card', 'wallet', 'pix']);
        expect(await offered(cardOnly)).toEqual(['card']);
      }),
  );

  it.concurrent(proves('the page of a custom payment shows its state and takes no payment', 'AMB-22'), () =>
    hosted.inTab(async (tab) => {
      const { id, url, client } = await hosted.create({ checkoutMode: 'custom' });
      await tab.page.goto(url);
      await tab.page.getByTestId('state-elsewhere').waitFor();
      expect(await tab.page.locator('form').count()).toBe(0);
      for (const verb of ['pay', 'card-fields', 'leave-step']) {
        expect((await client.post(verb, { method: 'card' })).status).toBe(404);
      }
      await hosted.shop.pay(id, await hosted.shop.captureCard(id, '4000000000003220'));
      // An open step of a custom payment can also be resumed here.
      await tab.page.frameLocator('#challenge').getByTestId('challenge-approve').click();
      await backAtShop(tab.page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  // Links and requests.

  /** Returns the network's calls about charges, without the sweeps' calls about disputes. */
  async function chargeCalls(): Promise<Record<string, number>> {
    const answer = await fetch(`${hosted.world.networkUrl}/stats`);
    const {
      charge,
      lookup,
      confirm,
      void: voided,
    } = (
      (await answer.json()) as {
        calls: Record<string, number>;
      }
    ).calls;
    return { charge, lookup, confirm, voided } as Record<string, number>;
  }

  it('returns one neutral page for wrong, stale and foreign links, without a call to the network', () =>
    hosted.inTab(async (tab) => {
      const { id, url, client } = await hosted.create();
      await client.payByCard('4000000000003220');
      await tab.page.goto(url);
      const stale = String(await tab.page.locator('a[href^="/a/"]').getAttribute('href'));
      await client.post('leave-step', {});
      await client.payByCard('4000000000003220');
      const before = await chargeCalls();
      const pages = await Promise.all(
        [
          `/c/${id}`,
          `/c/${'A'.repeat(43)}`,
          `/c/${url.split('/').pop()?.toLowerCase()}`,
          stale,
          `${stale}/return`,
          `/a/${id}`,
        ].map(async (path) => {
          const response = await fetch(hosted.world.baseUrl + path, { redirect: 'manual' });
          return `${response.status} ${await response.text()}`;
        }),
      );
      expect(new Set(pages).size).toBe(1);
      expect(pages[0]).toMatch(/^404 /);
      expect(await chargeCalls()).toEqual(before);
    }));

  it.concurrent.each<[string, Record<string, string>, Record<string, string>]>([
    ['another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['a sister site', {}, { 'sec-fetch-site': 'same-site' }],
    ['another origin', {}, { origin: 'https://evil.example' }],
    ['no page of this payment', { form: '' }, {}],
    ['the page of another payment', { form: 'A'.repeat(43) }, {}],
  ])('a request from %s has no effect', async (_case, fields, headers) => {
    const { id, client } = await hosted.create();
    for (const verb of ['pay', 'card-fields', 'leave-step']) {
      expect((await client.post(verb, { method: 'wallet', ...fields }, headers)).status).toBe(400);
    }
    expect(await charges(id)).toEqual([]);
  });

  it.concurrent('ignores messages that do not come from the vault in its own frame', () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await hosted.create();
      await tab.page.goto(url);
      await fillCard(tab.page);
      await tab.page.evaluate(`
        for (const source of ['cardvault-frame', 'card-payments-embed']) for (const v of [1, 2, '1'])
          for (const type of ['token', 'error', 'ready', 'hello', 'resize'])
            window.postMessage({ source, v, type, token: 'tok_forged_forged_forged', reference: 'cap_x', height: 9 }, location.origin);
      `);
      await tab.page.getByTestId('pay').click();
      await backAtShop(tab.page);
      const sent = tab.requests.filter((request) => request.url.includes('/pay?'));
      expect(sent.map(({ body }) => body.includes('forged'))).toEqual([false]);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('sends no Referer to other sites', () =>
    hosted.inTab(async (tab) => {
      const { url } = await hosted.create();
      await tab.page.goto(url);
      await payByCard(tab.page, '4000000000003220');
      await tab.page.frameLocator('#challenge').getByTestId('challenge-approve').click();
      await backAtShop(tab.page);
      const secret = url.split('/').pop() ?? '';
      const elsewhere = tab.requests.filter((request) => !request.url.startsWith(hosted.world.baseUrl));
      expect(elsewhere.length).toBeGreaterThan(3);
      expect(JSON.stringify(elsewhere)).not.toContain(secret);
      expect(hosted.world.logs.join('\n')).not.toContain(secret);
    }),
  );

  it.concurrent(
    'is served with a policy without inline code, is not stored, and is framed by named sites only',
    async () => {
      const { url } = await hosted.create();
      const { headers } = await fetch(url);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy.split('; ').toSorted()).toEqual(
        [
          "base-uri 'none'",
          "connect-src 'self'",
          "default-src 'none'",
          "form-action 'self'",
          "frame-ancestors 'none'",
          `frame-src 'self' ${hosted.world.vaultUrl}`,
          "img-src data: 'self'",
          "require-trusted-types-for 'script'",
          "script-src 'self'",
          "style-src 'self'",
          "trusted-types 'none'",
        ].toSorted(),
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('set-cookie')).toBeNull();
    },
  );

  it.concurrent('runs exactly the scripts of the inventory, on every page of a payment', () =>
    hosted.inTab(async (tab) => {
      const inventory = JSON.parse(await readFile('docs/checkout/scripts.json', 'utf8')) as {
        scripts: { path: string; integrity: string; origin: string; pages: string[] }[];
      };
      const { url } = await hosted.create();
      const loaded = new Set<string>();
      tab.page.on('request', (request) => {
        if (request.resourceType() === 'script') loaded.add(request.url().replace(/\?.*/, ''));
      });
      await tab.page.goto(url);
      await payByCard(tab.page, '4000000000003220');
      await tab.page.frameLocator('#challenge').getByTestId('challenge-approve').waitFor();
      const expected = inventory.scripts
        // The wallets' frame exists only with Stripe.
        .filter(({ pages }) => pages.some((path) => path !== '/wallet'))
        .map(
          ({ path, origin }) => (origin === 'vault' ? hosted.world.vaultUrl : hosted.world.baseUrl) + path,
        );
      expect([...loaded].toSorted()).toEqual(expected.toSorted());
      const inPage: { src: string; integrity: string }[] = await tab.page.evaluate(
        '[...document.scripts].map(({ src, integrity }) => ({ src, integrity }))',
      );
      expect(inPage.map(({ src, integrity }) => ({ src: src.replace(/\?.*/, ''), integrity }))).toEqual([
        {
          src: `${hosted.world.baseUrl}/assets/page.js`,
          integrity: inventory.scripts.find(({ path }) => path === '/assets/page.js')?.integrity,
        },
      ]);
    }),
  );

  // Leaving.

  it.concurrent(
    proves('cancel leads to cancelUrl and leaves the payment pending', 'PAGE-05', 'PAGE-09'),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url } = await hosted.create({ cancelUrl: `${hosted.site.origin}/no?a=1&b=%20` });
        await tab.page.goto(url);
        await tab.page.getByTestId('cancel').click();
        await tab.page.waitForURL(`${hosted.site.origin}/no?a=1&b=%20`);
        expect(await hosted.shop.read(id)).toMatchObject({ status: 'pending' });
      }),
  );

  it.concurrent(
    proves(
      'closing the browser, or failing the step at the bank, does not make the payment failed',
      'PAGE-05',
    ),
    () =>
      hosted.inTab(async (tab) => {
        const { id, url } = await hosted.create();
        await tab.page.goto(url);
        await payByCard(tab.page, '4000000000003220');
        await tab.page.frameLocator('#challenge').getByTestId('challenge-fail').waitFor();
        await tab.page.close();
        expect(await hosted.shop.read(id)).toMatchObject({ status: 'requiresAction' });
        tab.page = await tab.page.context().newPage();
        await tab.page.goto(url);
        await tab.page.frameLocator('#challenge').getByTestId('challenge-fail').click();
        await tab.page.getByTestId('attempt-failed').waitFor();
        expect(await hosted.shop.read(id)).toMatchObject({ status: 'pending' });
      }),
  );

  // Without a mouse, without a script, on a slow connection.

  it.concurrent('can be paid with the keyboard alone', () =>
    hosted.inTab(async (tab) => {
      const { id, url } = await hosted.create();
      const { page } = tab;
      await page.goto(url);
      await page.frameLocator('#card-fields iframe.ready').locator('input[name="card_number"]').waitFor();
      // The languages and the link to the shop come first.
      for (let at = 0; at < 5; at += 1) await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.value')).toBe('card');
      await page.keyboard.press('Tab');
      // The fields advance automatically.
      await page.keyboard.type('42424242424242421240123');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.dataset.testid')).toBe('pay');
      await page.keyboard.press('Enter');
      await backAtShop(tab.page);
      expect(await charges(id)).toEqual(['captured']);
    }),
  );

  it.concurrent('fits a window at 200 % zoom: nothing is cut off and the button can be reached', () =>
    hosted.inTab(async (tab) => {
      const { url } = await hosted.create();
      await tab.page.setViewportSize({ width: 640, height: 360 });
      await tab.page.goto(url);
      await tab.page.frameLocator('#card-fields iframe').locator('input[name="card_cvv"]').waitFor();
      expect(
        await tab.page.evaluate(
          'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
        ),
      ).toBe(true);
      await tab.page.getByTestId('pay').scrollIntoViewIfNeeded();
      expect(await tab.page.getByTestId('pay').isVisible()).toBe(true);
    }),
  );

  it.concurrent('accepts wallet and pix without script, and explains that a card needs it', () =>
    hosted.inTab(
      async ({ page }) => {
        const wallet = await hosted.create();
        await page.goto(wallet.url);
        expect(await page.locator('noscript p').first().isVisible()).toBe(true);
        await page.getByTestId('pay').click();
        await page.getByText("Turn on JavaScript to pay by card. You haven't been charged.").waitFor();
        await page.getByTestId('method-wallet').click();
        await page.getByTestId('pay').click();
        await page.getByTestId('wallet-open').click();
        await page.getByTestId('wallet-approve').click();
        await backAtShop(page);
        expect(await charges(wallet.id)).toEqual(['captured']);
        const pix = await hosted.create();
        await page.goto(pix.url);
        await page.getByTestId('method-pix').click();
        await page.getByTestId('pay').click();
        await page.getByTestId('state-pix').waitFor();
        expect(await page.locator('noscript meta[http-equiv="refresh"]').count()).toBe(1);
        // The address that the browser reloads shows the state itself. Behind a redirect, a payment made in
        // the meantime would not forward to the shop.
        await page.goto(`${pix.url}/done`);
        expect(page.url()).toBe(`${pix.url}/done`);
        await page.getByTestId('state-pix').waitFor();
      },
      { javaScriptEnabled: false },
    ),
  );

  it.concurrent(
    proves(
      'the payment chooses the language, English without one; a switch keeps the step that is open',
      'PAGE-04',
    ),
    () =>
      hosted.inTab(async (tab) => {
        await tab.page.goto((await hosted.create()).url);
        expect(await tab.page.locator('html').getAttribute('lang')).toBe('en');
        const { url, client } = await hosted.create({ locale: 'es' });
        await client.pay('wallet');
        await tab.page.goto(url);
        expect(await tab.page.locator('html').getAttribute('lang')).toBe('es');
        await tab.page.getByRole('link', { name: 'Português' }).click();
        await tab.page.getByText('Continue com Sandbox Wallet').waitFor();
        expect(await tab.page.locator('html').getAttribute('lang')).toBe('pt');
        await eventually(async () =>
          (await tab.page.getByTestId('state-wallet').count()) === 1 ? true : undefined,
        );
      }),
  );
});
