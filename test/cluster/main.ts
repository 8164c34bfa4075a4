/**
 * `npm run test:cluster -- [--only NAME]`: a Temporal cluster of six processes, two APIs and two workers
 * under 5 payments a second. One after the other a history host, a matching host, a worker, an API, the
 * visibility database and the frontend are killed, and frozen for 20 s. The launcher restarts what was
 * killed. Prints how long it took until pays succeeded again; the checker of `npm run test:chaos` judges the
 * result. Takes about ten minutes. The last line is `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '../../local-stack/launcher.ts';
import { choosePort } from '../../local-stack/ports.ts';
import { StackProblem } from '../../local-stack/problem.ts';
import { type StackDescription, StackSession } from '../../local-stack/session.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { entriesOf } from '../bench/stack.ts';
import { check } from '../chaos/checker.ts';
import { observe } from '../chaos/observations.ts';
import { startReceiver } from '../chaos/receiver.ts';
import { untilFinal } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { Shop, eventually } from '../deploy/shop.ts';
import { readFlags } from '../support/harness/flags.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { type Load, recoveredAfter, startLoad } from './load.ts';
import { memoryMb, signalTree } from './process-tree.ts';

const RECEIVER_PORT = 4310;
const frozenMs = 20_000;
/** Payments before the first fault, and after the objective of each, in ms. */
const calmMs = 10_000;
const afterMs = 5_000;
const settleMs = 150_000;
/** Objectives of a start and of a lost history host, in s and MB. */
const readyWithinMs = 40_000;
const mostMb = 1_600;
const historyWithinMs = 15_000;
const usualWithinMs = 30_000;

const victims = [
  'temporal-history-1',
  'temporal-matching-1',
  'worker-1',
  'api-2',
  'postgres-visibility',
  'temporal-frontend-1',
];

const values = readFlags({
  name: 'test:cluster',
  does: 'Kills and freezes the processes of a Temporal cluster under payments.',
  flags: { only: { takes: 'process', means: `only this one of: ${victims.join(', ')}` } },
});

const results = { passed: 0, failed: 0 };
function report(title: string, isTrue: boolean, seen = ''): void {
  results[isTrue ? 'passed' : 'failed'] += 1;
  process.stdout.write(`${`${isTrue ? '✓' : '✗'} ${title} ${seen}`.trimEnd()}\n`);
}

await runTool(async () => {
  const chosen = victims.filter((name) => [undefined, name].includes(values.only));
  if (chosen.length === 0) throw new Problem(`--only must be one of: ${victims.join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-cluster-'));
  const { signal } = listenForStop(() => process.exit(130));
  const output = { display: false, line: (line: string) => void process.stderr.write(`${line}\n`) };
  const options = {
    ...{ port: undefined, fresh: false, demo: false, guides: false, workers: 2, apis: 2 },
    ...({ temporal: 'cluster', connector: 'simulator' } as const),
    dataDir: join(directory, 'data'),
  };
  let session: StackSession | undefined;
  try {
    const startedAt = Date.now();
    session = await StackSession.open(options, output, signal);
    const entries = entriesOf();
    const description = await launch({
      ...{ session, options, entries, output, signal },
      environment: environmentOf(),
    });
    const tookMs = Date.now() - startedAt;
    report('is ready within 40 s', tookMs <= readyWithinMs, `${Math.round(tookMs / 1000)} s`);
    await drill(session, description, chosen);
  } catch (error) {
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await session?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
  process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
  return results.failed === 0;
});
process.exit();

async function drill(
  session: StackSession,
  stack: StackDescription,
  chosen: readonly string[],
): Promise<void> {
  const since = new Date();
  const { port } = await choosePort([RECEIVER_PORT]);
  const receiver = await startReceiver(port);
  try {
    const url = `http://127.0.0.1:${port}/hook`;
    const { data } = await new Shop(stack).call('POST', '/webhook-endpoints', { url });
    receiver.expectSecret(String(data['secret']));
    const load = startLoad(stack.apiUrls, stack.sandboxApiKey);
    await sleep(calmMs);
    reportMemory(session);
    for (const name of chosen) {
      await strike(session, load, name, 'killed');
      await strike(session, load, name, 'frozen');
    }
    await load.end();
    const isFinal = await untilFinal(stack.databaseUrl, since, settleMs);
    report('every payment is final and every webhook delivered', isFinal);
    const look = () =>
      observe(
        {
          databaseUrl: stack.databaseUrl,
          temporalAddress: stack.temporalAddress,
          networkUrl: stack.networkUrl,
          networkKey: session.secrets.networkServiceKey,
          network: 'tombstone',
          apiKey: stack.sandboxApiKey,
          logsDirectory: session.dataDir.logs,
          receiver,
        },
        load.history,
        since,
        { putBack: new Map(), capturedLate: new Set(), disputed: new Set() },
      );
    let violations: Violation[] = [];
    let payments = 0;
    await eventually(async () => {
      const observations = await look();
      payments = observations.payments.length;
      violations = check(observations);
      return violations.length === 0 ? true : undefined;
    }, 60_000).catch(() => undefined);
    report('nothing is violated', violations.length === 0, `${payments} payments`);
    for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
      process.stdout.write(`  ${invariant} ${paymentId ?? ''} ${detail}\n`);
    }
  } finally {
    await receiver.close();
  }
}

function reportMemory({ supervisor }: StackSession): void {
  const each = Object.entries(supervisor.processes).map(([name, pid]) => ({ name, mb: memoryMb(pid) }));
  const sum = (of: typeof each): number => Math.round(of.reduce((total, { mb }) => total + mb, 0));
  const temporal = each.filter(({ name }) => /^temporal-|^postgres-/.test(name));
  report(
    'takes at most 1.6 GB',
    sum(each) <= mostMb,
    `${sum(each)} MB, of it ${sum(temporal)} MB the cluster`,
  );
  for (const { name, mb } of each) process.stdout.write(`  ${name} ${Math.round(mb)} MB\n`);
}

async function strike(
  session: StackSession,
  load: Load,
  name: string,
  how: 'killed' | 'frozen',
): Promise<void> {
  const pid = session.supervisor.processes[name];
  if (pid === undefined) throw new Problem(`there is no process ${name}`);
  const fromMs = Date.now();
  const withinMs = name.startsWith('temporal-history') ? historyWithinMs : usualWithinMs;
  if (how === 'killed') {
    signalTree(pid, 'SIGKILL');
    await sleep(withinMs + afterMs);
  } else {
    signalTree(pid, 'SIGSTOP');
    try {
      await sleep(frozenMs);
    } finally {
      signalTree(pid, 'SIGCONT');
    }
    await sleep(Math.max(0, withinMs - frozenMs) + afterMs);
  }
  const tookMs = recoveredAfter(load.history, fromMs, Date.now());
  const seen =
    tookMs === undefined ? 'no pay succeeded' : `pays succeed after ${(tookMs / 1000).toFixed(1)} s`;
  report(`${name} ${how}`, tookMs !== undefined && tookMs <= withinMs, seen);
}

function environmentOf(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'];
  return {
    ...Object.fromEntries(kept.map((key) => [key, process.env[key]])),
    RATE_LIMITS: 'off',
    REFUND_DELAY_SECONDS: '1',
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10,10,10',
    CHECKOUT_DEADLINE_SECONDS: '100',
    CAPTURE_WINDOW_SECONDS: '98',
  };
}
