import type { Page } from 'playwright-core';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { withBrowser } from '../../support/browser.ts';
import { ownerLink } from '../../support/dashboard.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';
import { keyed, paidPayment } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';

/** The daily questions to a support person, each answered from Home with the dashboard alone. */
withBrowser('the questions of a day', () => {
  const hosted = new HostedPage({ webhooks: true }, { REFUND_DELAY_SECONDS: '0' });
  let receiver: Receiver;
  let merchantId: string;
  let shop: Shop;
  const today = new Date().toISOString().slice(0, 10);

  beforeAll(async () => {
    const { world } = hosted;
    receiver = await createReceiver();
    merchantId = await world.merchant({ sandbox: { customMode: true } });
    shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const add = (url: string) => shop.call('POST', '/v1/webhook-endpoints', { url });
    await add(receiver.url);
    // No server listens there.
    await add('http://127.0.0.1:9/hooks');
    const customer = (name: string) => ({ customer: { email: `${name}@example.org` } });
    await paidPayment(shop, undefined, { reference: 'order-1', ...customer('mary') });
    const disputed = await paidPayment(shop, undefined, { reference: 'order-2', ...customer('tony') });
    await paidPayment(shop, '4000000000009987', { reference: 'order-3', ...customer('radia') });
    await keyed(shop, `/v1/sandbox/payments/${disputed}/disputes`, { reason: 'fraudulent' });
    await eventually(async () => ((await shop.read(disputed))['status'] === 'disputed' ? true : undefined));
  });
  afterAll(() => receiver.close());

  /** Opens Home as the owner, and answers a question from there. */
  const ask = (answer: (page: Page, complaints: string[]) => Promise<void>) =>
    hosted.inTab(async ({ page, complaints }) => {
      await page.goto(await ownerLink(hosted.world, merchantId));
      await page.getByTestId('passkey-later').click();
      await page.getByTestId('nav-home').waitFor();
      await answer(page, complaints);
      expect(complaints).toEqual([]);
    });
  const open = async (page: Page, q: string): Promise<void> => {
    await page.getByTestId('nav-search').click();
    await page.getByTestId('search-everything').fill(q);
    await page.getByTestId('search-everything').press('Enter');
    await page.getByTestId('found-payment').getByRole('link').click();
    await page.getByTestId('timeline').waitFor();
  };
  const main = (page: Page): Promise<string> => page.locator('main').innerText();

  it('where is the money of this customer?', () =>
    ask(async (page) => {
      await open(page, 'mary@example.org');
      expect(await main(page)).toMatch(/order-1\b[\s\S]*Paid/);
    }));

  it('why was it declined?', () =>
    ask(async (page) => {
      await open(page, 'radia');
      expect(await main(page)).toMatch(/Last decline[\s\S]*The card was reported lost/);
    }));

  it('please refund half of it', () =>
    ask(async (page) => {
      await open(page, 'order-1');
      await page.getByTestId('refund-open').click();
      await page.getByTestId('refund-amount').fill('12.50');
      await page.getByText('Twelve dollars and 50 cents will be refunded.').waitFor();
      await page.getByTestId('refund-submit').click();
      await page.getByText('Partially refunded').first().waitFor();
      expect(await main(page)).toMatch(/\$12\.50\s+(Pending|Succeeded)/);
    }));

  it('which webhook failed, and why?', () =>
    ask(async (page) => {
      await page.getByTestId('nav-webhooks').click();
      await page.getByRole('link', { name: 'http://127.0.0.1:9/hooks' }).click();
      await page.getByTestId('delivery-row').first().waitFor();
      expect(await main(page)).toMatch(
        /payment\.paid\s+order-1\s+Retrying\s+Nothing is listening at this address · \d+ attempt/,
      );
    }));

  it('was the shop notified?', () =>
    ask(async (page) => {
      await open(page, 'order-1');
      await page.getByText('Webhook deliveries').first().click();
      expect(await main(page)).toMatch(/payment\.paid[\s\S]*Delivered/);
    }));

  it('who changed the endpoint?', () =>
    ask(async (page) => {
      await page.getByTestId('nav-webhooks').click();
      await page.getByRole('link', { name: receiver.url }).click();
      await page.getByRole('link', { name: 'Disable' }).click();
      await page.getByTestId('asking-yes').click();
      await page.getByTestId('nav-team').click();
      const entry = await page.getByTestId('audit-row').first().innerText();
      expect(entry).toMatch(/Owner/);
      expect(entry).toMatch(/Webhook endpoint changed[\s\S]*Enabled → Disabled/);
    }));

  it('what did we take this month, by method?', () =>
    ask(async (page) => {
      await page.getByTestId('nav-reports').click();
      await page.getByRole('link', { name: 'By method' }).click();
      expect(await page.getByTestId('report-row').innerText()).toMatch(/^Card\s+\$50\.00/);
    }));

  it('can the accountant have that?', () =>
    ask(async (page) => {
      await page.getByTestId('nav-reports').click();
      const link = await page.getByRole('link', { name: 'Payments (CSV)' }).getAttribute('href');
      const csv = await page.request.get(new URL(link ?? '', page.url()).href);
      expect(csv.headers()['content-type']).toContain('text/csv');
      expect(await csv.text()).toContain('order-1');
      expect(link).toContain(`to=${today}`);
    }));

  it('is anything waiting for us?', () =>
    ask(async (page) => {
      expect(await main(page)).toMatch(/Needs attention[\s\S]*Respond to the \$25\.00 dispute on order-2/);
      await page.getByRole('link', { name: 'Respond to the $25.00 dispute' }).click();
      await page.getByTestId('deadline').waitFor();
      await page.getByLabel('Shipping and tracking').fill('Carrier 7, delivered on Monday');
      await page.getByText(/^Draft saved at/).waitFor();
      await page.getByRole('link', { name: 'Submit evidence' }).waitFor();
    }));

  it('can the proof of delivery be kept with the dispute?', () =>
    ask(async (page, complaints) => {
      await page.getByRole('link', { name: 'Respond to the $25.00 dispute' }).click();
      const add = async (name: string, buffer: Buffer): Promise<void> => {
        await page.getByLabel('Add a file').setInputFiles({ name, mimeType: 'application/pdf', buffer });
        await page.getByTestId('file-add').click();
      };
      await add('notes.pdf', Buffer.from('Delivered on Monday.'));
      expect(await page.getByRole('alert').innerText()).toBe(texts.disputes.fileType);
      // The browser logs the 422 of the refused form's page.
      expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
      // Bytes of every kind, and lines that look like the end of a part.
      const proof = Buffer.concat([
        Buffer.from('%PDF-1.7\r\n\r\n------WebKitFormBoundary--\r\n'),
        Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
        Buffer.from('\n%%EOF'),
      ]);
      await add('Zustellung, Straße 7 “Büro”.pdf', proof);
      await page.getByText(texts.common.notices.fileAdded).waitFor();
      const file = page.getByTestId('files').getByRole('link');
      expect(await file.innerText()).toContain('Zustellung, Straße 7');
      const saved = await page.request.get(new URL((await file.getAttribute('href')) ?? '', page.url()).href);
      expect(await saved.body()).toEqual(proof);
      await page.getByTestId('files').getByRole('button').click();
      await page.getByText(texts.common.notices.fileRemoved).waitFor();
      expect(await page.getByTestId('files').count()).toBe(0);
    }));

  it('what is our decline rate, and why?', () =>
    ask(async (page) => {
      const figures = await page.getByTestId('figures').innerText();
      expect(figures).toMatch(/Success rate\s+66%/);
      expect(figures).toMatch(/Lost card\s+1/);
    }));
});
