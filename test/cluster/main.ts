/**
 * `npm run test:cluster -- [--only NAMES]`: a Temporal cluster of six processes, two APIs behind a load
 * balancer that looks at `/readyz`, and two workers, under 5 payments a second. One after the other a history
 * host, a matching host, a worker, an API, the visibility database and the frontend are killed, frozen for
 * 20 s, and cut off by a relay from one neighbor for 20 s. The launcher restarts what was killed. Prints how
 * long it took until pays succeeded again; the checker of `npm run test:chaos` judges the result. Takes about
 * fifteen minutes. The last line is `N passed, N failed`. The first Ctrl-C ends it.
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
import { nothingMade } from '../chaos/made.ts';
import { observe } from '../chaos/observations.ts';
import { startReceiver } from '../chaos/receiver.ts';
import { untilFinal } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { Shop, eventually } from '../deploy/shop.ts';
import { drillEnvironment } from '../support/harness/drill-environment.ts';
import { readFlags } from '../support/harness/flags.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { openBalancer } from './balancer.ts';
import { type Links, closeLinks, openLinks } from './links.ts';
import { startLoad } from './load.ts';
import { memoryMb } from './process-tree.ts';
import { type Strike, choices, strike, strikesOf } from './strikes.ts';

const RECEIVER_PORT = 4310;
/** Time of payments before the first fault, in ms. */
const calmMs = 10_000;
/** The checkout deadline of the payments, in s. */
const deadlineSeconds = 100;
const settleMs = 150_000;
/** Limits of a start, in ms and MB. */
const readyWithinMs = 40_000;
const maxMb = 1_600;
/** Exit code of a tool that Ctrl-C ended. */
const interrupted = 130;

const values = readFlags({
  name: 'test:cluster',
  does: 'Kills, freezes and cuts off the processes of a Temporal cluster under payments.',
  flags: { only: { takes: 'names', means: `only these, with commas between them: ${choices.join(', ')}` } },
});

const results = { passed: 0, failed: 0 };
function report(title: string, isTrue: boolean, seen = ''): void {
  results[isTrue ? 'passed' : 'failed'] += 1;
  process.stdout.write(`${`${isTrue ? '✓' : '✗'} ${title} ${seen}`.trimEnd()}\n`);
}

const { signal } = listenForStop(() => process.exit(interrupted));

await runTool(async () => {
  const strikes = strikesOf(values.only);
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-cluster-'));
  const output = { display: false, line: (line: string) => void process.stderr.write(`${line}\n`) };
  const options = {
    ...{ port: undefined, fresh: false, demo: false, guides: false, workers: 2, apis: 2 },
    ...({ temporal: 'cluster', connector: 'simulator' } as const),
    dataDir: join(directory, 'data'),
  };
  let session: StackSession | undefined;
  let relays: Links | undefined;
  try {
    const startedAt = Date.now();
    session = await StackSession.open(options, output, signal);
    relays = await openLinks(session);
    const entries = entriesOf();
    const description = await launch({
      ...{ session, options, entries, output, signal },
      environment: drillEnvironment(deadlineSeconds),
    });
    const tookMs = Date.now() - startedAt;
    report('is ready within 40 s', tookMs <= readyWithinMs, `${Math.round(tookMs / 1000)} s`);
    await drill(session, description, relays, strikes);
  } catch (error) {
    if (signal.aborted) process.stdout.write('interrupted\n');
    else throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await session?.stop();
    if (relays !== undefined) await closeLinks(relays);
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
  process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
  return results.failed === 0;
});
if (signal.aborted) process.exitCode = interrupted;
await exitWhenPrinted();

async function drill(
  session: StackSession,
  stack: StackDescription,
  relays: Links,
  strikes: readonly Strike[],
): Promise<void> {
  const since = new Date();
  const { port } = await choosePort([RECEIVER_PORT]);
  const receiver = await startReceiver(port);
  const balancer = openBalancer(
    stack.apiUrls.map((api, index) => ({
      api,
      privateUrl: stack.privateUrls[index === 0 ? 'api' : `api-${index + 1}`] ?? '',
    })),
  );
  try {
    const url = `http://127.0.0.1:${port}/hook`;
    const { data } = await new Shop(stack).call('POST', '/webhook-endpoints', { url });
    receiver.expectSecret(String(data['secret']));
    const load = startLoad(balancer.apis, stack.sandboxApiKey);
    await sleep(calmMs, undefined, { signal });
    reportMemory(session);
    const pidOf = (name: string) => session.supervisor.processes[name];
    for (const each of strikes) {
      const { title, isInTime, seen } = await strike({ pidOf, relays, load, signal }, each);
      report(title, isInTime, seen);
    }
    await untilStopped(load.end());
    const isFinal = await untilStopped(untilFinal(stack.databaseUrl, since, settleMs));
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
        nothingMade(),
      );
    let violations: Violation[] = [];
    let payments = 0;
    const judged = eventually(async () => {
      const observations = await look();
      payments = observations.payments.length;
      violations = check(observations);
      return violations.length === 0 ? true : undefined;
    }, 60_000).catch(() => undefined);
    await untilStopped(judged);
    report('nothing is violated', violations.length === 0, `${payments} payments`);
    for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
      process.stdout.write(`  ${invariant} ${paymentId ?? ''} ${detail}\n`);
    }
  } finally {
    await balancer.close();
    await receiver.close();
  }
}

function reportMemory({ supervisor }: StackSession): void {
  const each = Object.entries(supervisor.processes).map(([name, pid]) => ({ name, mb: memoryMb(pid) }));
  const sum = (of: typeof each): number => Math.round(of.reduce((total, { mb }) => total + mb, 0));
  const temporal = each.filter(({ name }) => /^temporal-|^postgres-/.test(name));
  report(
    'takes at most 1.6 GB',
    sum(each) <= maxMb,
    `${sum(each)} MB, of it ${sum(temporal)} MB the cluster`,
  );
  for (const { name, mb } of each) process.stdout.write(`  ${name} ${Math.round(mb)} MB\n`);
}

/** Returns the value of the promise; rejects as soon as the drill must stop. */
async function untilStopped<T>(work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([work, stopped]);
}
