import { execFileSync } from 'node:child_process';
import { createConnection } from 'node:net';
import { findBrowser, launchBrowser, withBrowser } from '../support/browser.ts';
import {
  LauncherProcess,
  type StackFile,
  cleanUp,
  isFullyStopped,
  realMain,
  temporaryDirectory,
  until,
} from '../support/launcher-process.ts';
import { type Answer, Shop, eventually, ledger } from '../support/shop.ts';
import { proves } from '../support/proves.ts';

/** `npm start` itself, with every part in its own process, as a new user runs it. */
let launcher: LauncherProcess;
let stack: StackFile;
let shop: Shop;

beforeAll(async () => {
  launcher = new LauncherProcess(temporaryDirectory(), [], {}, realMain);
  stack = await launcher.ready();
  shop = new Shop(stack.baseUrl, stack.sandboxApiKey);
});
afterAll(() => cleanUp([launcher]));

const captured = async (id: string) =>
  (await ledger(stack.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;
const paidSoon = (id: string) =>
  eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined), 60_000);

describe('the real stack', () => {
  /**
   * A payment whose worker is killed while the network charges. That takes five seconds, in which other tests
   * run.
   */
  let interrupted: { id: string; before: number | undefined; answer: Promise<Answer> };

  beforeAll(async () => {
    const id = await shop.customPayment();
    const answer = shop.pay(id, await shop.captureCard(id, '4000000000007304'));
    answer.catch(() => undefined);
    await until(async () => (await ledger(stack.networkUrl, id)).charges.length === 1);
    if ((await captured(id)) > 0)
      throw new Error('the network had charged before the worker could be killed');
    const before = launcher.stackFile().processes['worker'];
    if (before === undefined) throw new Error('no worker');
    process.kill(before, 'SIGKILL');
    await until(() => launcher.stackFile().processes['worker'] !== before);
    interrupted = { id, before, answer };
  });

  it('has made its demo payment, which the operator command shows with its workflow', () => {
    const shown = JSON.parse(
      execFileSync(
        process.execPath,
        [
          'dist/src/cli/admin.js',
          'payment',
          'show',
          '--payment',
          stack.demoPaymentId ?? '',
          '--json',
          '--data-dir',
          launcher.dataDir,
        ],
        { encoding: 'utf8' },
      ),
    ) as { payment: { status: string }; attempts: unknown[]; workflow: { url: string } };
    expect(shown.payment.status).toBe('paid');
    expect(shown.attempts).toMatchObject([{ attemptNo: 1, status: 'paid' }]);
    expect(shown.workflow.url).toContain(`/workflows/payment-${stack.demoPaymentId}`);
  });

  withBrowser('with a browser', () => {
    it('is paid after the challenge page was opened and approved', async () => {
      expect(findBrowser()).not.toBeNull();
      const id = await shop.customPayment({ successUrl: `${stack.baseUrl}/assets/page.css` });
      expect((await shop.pay(id, await shop.captureCard(id, '4000000000003220'))).body.data).toMatchObject({
        status: 'requiresAction',
      });
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(String((await shop.checkout(id))['actionUrl']));
        await page.reload();
        await page.click('[data-testid="challenge-approve"]');
        await paidSoon(id);
      } finally {
        await browser.close();
      }
      expect(await captured(id)).toBe(1);
    });
  });

  it(
    proves('charges once when the worker is killed while the network is charging', 'PAY-17', 'GEN-03'),
    async () => {
      const { id, before, answer } = interrupted;
      expect([200, 503]).toContain((await answer).status);
      await paidSoon(id);
      expect(await captured(id)).toBe(1);
      expect(launcher.stackFile().processes['worker']).not.toBe(before);
    },
  );

  it('stops every process it started', async () => {
    expect(await launcher.stop()).toBe(0);
    expect(isFullyStopped(launcher.dataDir)).toBe(true);
    const refused = await new Promise<boolean>((resolve) => {
      const { hostname, port } = new URL(stack.baseUrl);
      createConnection(Number(port), hostname)
        .once('connect', () => resolve(false))
        .once('error', () => resolve(true));
    });
    expect(refused).toBe(true);
  });
});
