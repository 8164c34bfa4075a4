import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporalServerIsCached } from '../../../local-stack/temporal-server-programs.ts';
import {
  LauncherProcess,
  type StackFile,
  cleanUp,
  isRunning,
  isFullyStopped,
  realMain,
  temporaryDirectory,
  until,
} from '../../support/launcher-process.ts';
import { Shop, eventually } from '../../support/shop.ts';

const TEST_MS = 180_000;
const retentionSeconds = 72 * 3600;

/**
 * `npm start -- --temporal server` builds the server once, which takes many minutes and the Go modules of the
 * whole server. Where it was never built, as in CI, these tests are skipped with a message.
 */
const whereItCanRun = temporalServerIsCached() ? describe : describe.skip;
if (whereItCanRun !== describe) {
  process.stderr.write(
    'SKIPPED: the tests of `npm start -- --temporal server`, because the Temporal server is not built here. ' +
      'Run `npm start -- --temporal server` once (Go, many minutes), then these tests again.\n',
  );
}

whereItCanRun('npm start -- --temporal server', () => {
  const launchers: LauncherProcess[] = [];
  const dataDir = temporaryDirectory();
  const start = (...args: string[]): LauncherProcess => {
    const launcher = new LauncherProcess(dataDir, ['--temporal', 'server', ...args], {}, realMain);
    launchers.push(launcher);
    return launcher;
  };
  const shopOf = (stack: StackFile, url = stack.baseUrl): Shop => new Shop(url, stack.sandboxApiKey);
  const logOf = (name: string): string => readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');

  afterAll(() => cleanUp(launchers));

  let first: StackFile;
  let interrupted: string;

  it(
    'completes the demo payment, and one through each API, on a server that stores all its data in PostgreSQL',
    async () => {
      first = await start('--apis', '2', '--workers', '2').ready();
      expect(Object.keys(first.processes).toSorted()).toEqual(
        [
          ...[
            'api',
            'api-2',
            'network',
            'network-live',
            'postgres',
            'temporal',
            'temporal-ui',
            'vault',
            'vault-live',
          ],
          ...['worker-1', 'worker-2'],
        ].toSorted(),
      );
      expect((await shopOf(first).read(first.demoPaymentId ?? ''))['status']).toBe('paid');
      const ui = `${first.temporalUiUrl}/api/v1`;
      const { config } = (await (await fetch(`${ui}/namespaces/default`)).json()) as {
        config: { workflowExecutionRetentionTtl: string };
      };
      expect(config.workflowExecutionRetentionTtl).toBe(`${retentionSeconds}s`);
      const codec = (await (await fetch(`${ui}/settings`)).json()) as { Codec: { Endpoint: string } };
      expect(codec.Codec.Endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/codec$/);
      for (const url of first.apiUrls) {
        const shop = shopOf(first, url);
        const id = await shop.customPayment();
        expect((await shop.pay(id, await shop.captureCard(id, '4242424242424242'))).status).toBe(200);
        expect((await shop.read(id))['status']).toBe('paid');
      }
      interrupted = await shopOf(first).customPayment();
    },
    TEST_MS,
  );

  it(
    'leaves no process after a kill, and continues at the next start',
    async () => {
      expect(await launchers[0]?.stop('SIGKILL')).toBe(137);
      await until(() => !Object.values(first.processes).some(isRunning));
      const again = await start('--no-demo').ready();
      // Fewer processes run, and each start prints a new sign-in link.
      const ofOneStart = {
        ...{ processes: {}, apiUrls: [], privateUrls: {}, metricsUrls: {} },
        ...{ demoPaymentId: null, dashboardUrl: '' },
      };
      expect({ ...again, ...ofOneStart }).toEqual({ ...first, ...ofOneStart });
      const shop = shopOf(again);
      expect(
        (await shop.pay(interrupted, await shop.captureCard(interrupted, '4242424242424242'))).status,
      ).toBe(200);
      await eventually(async () => ((await shop.read(interrupted))['status'] === 'paid' ? true : undefined));
    },
    TEST_MS,
  );

  it(
    'stops without leaving a process, and logs it',
    async () => {
      expect(await launchers[1]?.stop()).toBe(0);
      expect(isFullyStopped(dataDir)).toBe(true);
      expect(existsSync(join(dataDir, 'temporal', 'temporal.db'))).toBe(false);
      expect(logOf('temporal')).toContain('All services are stopped.');
    },
    TEST_MS,
  );
});
