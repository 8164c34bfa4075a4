import { randomUUID } from 'node:crypto';
import { recordAttemptStart } from '../../../src/db/attempts.ts';
import { withdrawPay } from '../../../src/db/checkout-page.ts';
import { inTransaction } from '../../../src/db/database.ts';
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
  /** A pay that was sent `secondsAgo`, and of which nobody ever told what became of it. */
  const forgottenPay = async (paymentId: string, secondsAgo: number) => {
    const inputId = randomUUID();
    await hosted.world.database.query(
      `INSERT INTO attempt_inputs (id, payment_id, method, created_at)
       VALUES ($1, $2, 'wallet', now() - make_interval(secs => $3))`,
      [inputId, paymentId, secondsAgo],
    );
    return inputId;
  };

  it('a pay of which nobody told what became of it is being checked, in every tab, until it is known', () =>
    hosted.inTab(async ({ page }) => {
      const { id, url } = await hosted.create();
      await page.goto(url);
      await fillCard(page);
      worker.freeze();
      try {
        await page.getByTestId('pay').click();
        await page.getByText('Visa ···· 4242, processing').waitFor();
        await eventually(async () => {
          const { rows } = await hosted.world.database.query(
            'SELECT 1 FROM attempt_inputs WHERE payment_id = $1',
            [id],
          );
          return rows.length === 1 ? true : undefined;
        });
        const other = await page.context().newPage();
        await other.goto(url);
        const checking = 'We are checking whether your payment went through. Do not pay again.';
        await other.getByText(checking).waitFor();
        expect(await other.getByTestId('pay').count()).toBe(0);
        // The first tab hears nothing, asks, and says the same.
        await page.getByText(checking).waitFor();
        expect(await page.locator('[data-testid="pay"], [data-testid="cancel"]').count()).toBe(0);
      } finally {
        worker.thaw();
      }
      // Paid, or certainly not: never both, and never left open.
      const end = await Promise.race([
        page.waitForURL(`${hosted.site.origin}/ok`).then(() => 'paid'),
        page
          .getByTestId('pay')
          .waitFor()
          .then(() => 'open'),
      ]);
      expect(await charges(id)).toEqual(end === 'paid' ? ['captured'] : []);
    }));

  it('a pay that nobody took is withdrawn once its sender has given up and the payment can be asked', async () => {
    const { id, url } = await hosted.create();
    const [recent, old] = [await forgottenPay(id, 5), await forgottenPay(id, 60)];
    const state = async () => ((await (await fetch(`${url}/state`)).json()) as { kind: string }).kind;
    // Its sender may still be waiting.
    expect(await state()).toBe('processing');
    await hosted.world.database.query(
      "UPDATE attempt_inputs SET created_at = now() - interval '1 minute' WHERE id = $1",
      [recent],
    );
    await eventually(async () => ((await state()) === 'open' ? true : undefined));
    const { rows } = await hosted.world.database.query(
      'SELECT id FROM attempt_inputs WHERE payment_id = $1 AND withdrawn_at IS NOT NULL',
      [id],
    );
    expect(rows.map((row: { id: string }) => row.id).toSorted()).toEqual([recent, old].toSorted());
  });

  it('a pay is taken by a worker or withdrawn, never both', async () => {
    const { id } = await hosted.create();
    const start = (inputId: string, attemptNo: number) =>
      inTransaction(hosted.world.database, (transaction) =>
        recordAttemptStart(transaction, {
          paymentId: id,
          attemptNo,
          inputId,
          seq: 100 + attemptNo,
          method: 'wallet',
          tokenHash: null,
          singleCard: false,
          card: null,
          runId: 'run',
        }),
      );
    await hosted.world.database.query('UPDATE payments SET workflow_run_id = NULL WHERE id = $1', [id]);
    const withdrawn = await forgottenPay(id, 60);
    expect(await withdrawPay(hosted.world.database, withdrawn)).toBe(true);
    expect(await start(withdrawn, 1)).toBe('closed');
    const taken = await forgottenPay(id, 60);
    expect(await start(taken, 1)).toBe('recorded');
    expect(await withdrawPay(hosted.world.database, taken)).toBe(false);
  });
});
