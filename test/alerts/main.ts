/**
 * `npm run test:alerts`: Debian's Prometheus scrapes a stack of its own. Every expression of the alerts and
 * of the dashboard gives a series, each alert is fired by made-up series, and each by a fault that is made
 * for real, with shortened windows. The alerts of the reconciliation have no series yet and are left out of
 * the last. Takes about five minutes. The last line is `N passed, N failed`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '../../local-stack/launcher.ts';
import { StackProblem } from '../../local-stack/problem.ts';
import { StackSession } from '../../local-stack/session.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { Http } from '../bench/http.ts';
import { Shop } from '../bench/shop.ts';
import { entriesOf } from '../bench/stack.ts';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { dashboardExpressions, selectorsOf } from './expressions.ts';
import { type Scene, faults } from './faults.ts';
import {
  type Prometheus,
  alertsFile,
  configFile,
  deployedRules,
  isInstalled,
  promtool,
  startPrometheus,
} from './prometheus.ts';

/** Longest wait until an expression gives a series, or a fault fires its alerts, in ms. */
const seriesMs = 60_000;
const fireMs = 150_000;
const pollMs = 500;

/** Of these there is no series before the reconciliation exists. */
const notYet = /card_payments_reconciliation_/;

readFlags({ name: 'test:alerts', does: 'Fires every alert on a live stack.', flags: {} });

const results = { passed: 0, failed: 0 };
function report(title: string, reason: string | null): void {
  results[reason === null ? 'passed' : 'failed'] += 1;
  process.stdout.write(reason === null ? `✓ ${title}\n` : `✗ ${title}: ${reason}\n`);
}

await runTool(async () => {
  if (!isInstalled()) {
    process.stdout.write(
      'skipped: prometheus and promtool are missing (Debian: apt-get install prometheus)\n',
    );
  } else {
    const made = join(projectRoot, 'test', 'alerts', 'made-up-series.yml');
    report('the configuration is valid', promtool('check', 'config', configFile));
    report('the alerts are valid', promtool('check', 'rules', alertsFile));
    report('each alert is fired by made-up series', promtool('test', 'rules', made));
    await onStack();
  }
  process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
  return results.failed === 0;
});
await exitWhenPrinted();

async function onStack(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-alerts-'));
  const { signal } = listenForStop(() => process.exit(130));
  const output = { display: false, line: (line: string) => void process.stderr.write(`${line}\n`) };
  const http = new Http();
  let stack: StackSession | undefined;
  let prometheus: Prometheus | undefined;
  try {
    const options = {
      ...{ port: undefined, fresh: false, demo: false, guides: false, workers: 1, apis: 1 },
      ...({ temporal: 'dev', connector: 'simulator' } as const),
      dataDir: join(directory, 'data'),
    };
    const session = await StackSession.open(options, output, signal);
    stack = session;
    const description = await launch({
      session,
      options,
      entries: entriesOf(),
      environment: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        RATE_LIMITS: 'off',
        SWEEP_SECONDS: '1',
        // Payments of a frozen network are overdue within the test.
        CHECKOUT_DEADLINE_SECONDS: '60',
        CAPTURE_WINDOW_SECONDS: '60',
      },
      output,
      signal,
    });
    prometheus = await startPrometheus(join(directory, 'prometheus'), description.metricsUrls);
    const shop = new Shop(http, [description.baseUrl], [description.sandboxApiKey]);
    await expressionsGiveSeries(prometheus, shop);
    for (const fault of faults) {
      const scene = { description, shop, http, processes: () => session.supervisor.processes };
      await fire(prometheus, fault, scene);
    }
  } catch (error) {
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await prometheus?.stop();
    await http.close();
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Asks for every expression of the dashboard, and for every selector of the alerts. */
async function expressionsGiveSeries(prometheus: Prometheus, shop: Shop): Promise<void> {
  const dashboard = readFileSync(join(projectRoot, 'deploy', 'grafana', 'card-payments.json'), 'utf8');
  const expressions = [
    ...dashboardExpressions(dashboard),
    ...deployedRules().flatMap(({ expr }) => selectorsOf(expr)),
  ];
  let left = [...new Set(expressions)].filter((expression) => !notYet.test(expression));
  const asked = left.length;
  const deadline = performance.now() + seriesMs;
  while (left.length > 0 && performance.now() < deadline) {
    const { id } = await shop.newPaid();
    await shop.refund(id);
    const counts = await Promise.all(left.map((expression) => prometheus.count(expression)));
    left = left.filter((_, index) => counts[index] === 0);
  }
  report(
    `${asked} expressions give series (those of the reconciliation do not yet)`,
    left.length === 0 ? null : `none for ${left.join(' · ')}`,
  );
}

/** Makes a fault until its alerts fire, ends it, and waits until they are silent. */
async function fire(
  prometheus: Prometheus,
  { what, fires, begin }: (typeof faults)[number],
  scene: Scene,
): Promise<void> {
  const until = async (isDone: (firing: readonly string[]) => boolean): Promise<boolean> => {
    const deadline = performance.now() + fireMs;
    while (performance.now() < deadline) {
      if (isDone(await prometheus.firing())) return true;
      await sleep(pollMs);
    }
    return false;
  };
  const begunAt = performance.now();
  const fired = new Set<string>();
  const end = await begin(scene);
  try {
    await until((firing) => {
      for (const name of firing) fired.add(name);
      return fires.every((name) => fired.has(name));
    });
  } finally {
    await end();
  }
  const seconds = Math.round((performance.now() - begunAt) / 1000);
  for (const name of fires) {
    report(`${name} fires for ${what} (within ${seconds} s)`, fired.has(name) ? null : 'it did not');
  }
  const isSilent = await until((firing) => !fires.some((name) => firing.includes(name)));
  report(`${fires.join(', ')}: silent after it`, isSilent ? null : 'still firing');
}
