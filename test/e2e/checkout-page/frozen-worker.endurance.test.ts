import { randomUUID } from 'node:crypto';
import { reserveAttempt, releaseReservation } from '../../../src/db/payments/reservations.ts';
import { withBrowser } from '../../support/browser.ts';
import { fillCard } from '../../support/card-fields.ts';
import { HostedPage } from '../../support/hosted-page.ts';
import { type ServiceProcess, startWorkerProcess } from '../../support/service-process.ts';
import { eventually, ledger } from '../../support/shop.ts';

withBrowser('the hosted page while no worker answers', () => {
  const hosted = new HostedPage({ worker: false });
  let worker: ServiceProcess;

  beforeAll(async () => {
    worker = await startWorkerProcess(hosted.world);
  });
  afterAll(() => worker.kill());

  const charges = async (id: string) =>
    (await ledger(hosted.world.networkUrl, id)).charges.map(({ status }) => status);
  it(
    'a pay that no worker claims shows as processing in every tab until it is released, and one charge is made',
    () =>
      hosted.inTab(async ({ page }) => {
        const { id, url } = await hosted.create();
        await page.goto(url);
        await fillCard(page);
        worker.freeze();
        try {
          await page.getByTestId('pay').click();
          await page.getByText('Processing your payment with Visa ···· 4242').waitFor();
          await eventually(async () => {
            const { rows } = await hosted.world.database.query(
              'SELECT 1 FROM attempts WHERE payment_id = $1',
              [id],
            );
            return rows.length === 1 ? true : undefined;
          });
          const other = await page.context().newPage();
          await other.goto(url);
          const checking = "We're confirming your payment. Don't pay again.";
          await other.getByText(checking).waitFor();
          expect(await other.getByTestId('pay').count()).toBe(0);
          expect(await page.locator('[data-testid="cancel"]:visible').count()).toBe(0);
          // No worker claimed the attempt in time. It is canceled, and only then may another be sent.
          await page
            .getByText("We couldn't send your payment. You haven't been charged. Try again.")
            .waitFor();
          await other.getByTestId('pay').waitFor();
          expect(await charges(id)).toEqual([]);
        } finally {
          worker.thaw();
        }
        // Acts like a customer: pays again as long as the page shows that nothing was charged.
        const paid = page.waitForURL(`${hosted.site.origin}/ok`, { timeout: 100_000 }).then(() => true);
        const refused = () =>
          page
            .locator('#pay:not([aria-disabled])')
            .waitFor({ timeout: 100_000 })
            .then(() => false);
        do await page.getByTestId('pay').click();
        while (!(await Promise.race([paid, refused().catch(() => paid)])));
        expect(await charges(id)).toEqual(['captured']);
      }),
    240_000,
  );

  it('a pay whose sender is gone shows as processing, and the form returns once it is released', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      const { database } = hosted.world;
      // The state that a process leaves when it ends between the commit and its call to the workflow.
      const { attemptNo } = await reserveAttempt(
        database,
        {
          paymentId: id,
          tenant: null,
          method: 'wallet',
          tokenSealed: null,
          tokenHashes: null,
          captureReference: null,
          simulated: null,
          requestId: randomUUID(),
        },
        new Date(),
      );
      expect(attemptNo).toBe(1);
      await page.goto(url);
      await page.getByText("We're confirming your payment. Don't pay again.").waitFor();
      expect(await page.getByTestId('pay').count()).toBe(0);
      expect(await releaseReservation(database, { paymentId: id, attemptNo: 1 })).toBe(true);
      await page.getByTestId('pay').waitFor();
      await page.getByTestId('method-card').check();
      await fillCard(page);
      await page.getByTestId('pay').click();
      await page.waitForURL(`${hosted.site.origin}/ok`);
      expect(await charges(id)).toEqual(['captured']);
    }));
});
