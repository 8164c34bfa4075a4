/**
 * `npm run measure:trips [-- --json]`: starts a stack of its own and counts the files of `src` that a call
 * enters, in API and worker together, without the workflow's own thread (docs/architecture.md). Progress is
 * on stderr, the table or the JSON on stdout. Exit code 1 when a call enters more files than its limit.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { launch } from '../../local-stack/launcher.ts';
import type { StackOptions } from '../../local-stack/options.ts';
import { StackProblem } from '../../local-stack/problem.ts';
import type { Entries } from '../../local-stack/services.ts';
import { type StackDescription, StackSession } from '../../local-stack/session.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { Http } from '../bench/http.ts';
import { Shop } from '../bench/shop.ts';
import { entriesOf } from '../bench/stack.ts';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { Coverage } from './coverage.ts';
import { type Trip, filesOfTrip, limits, notMeasured, tripTable } from './trips.ts';

const REPETITIONS = 6;
/** Longest time in which the writes of the previous call end, in ms. */
const SETTLE_MS = 500;

const stackOptions: Omit<StackOptions, 'dataDir'> = {
  port: undefined,
  fresh: false,
  demo: false,
  guides: false,
  workers: 1,
  apis: 1,
  temporal: 'dev',
  connector: 'simulator',
};

const output = { display: false, line: (line: string) => void process.stderr.write(`${line}\n`) };

const { json } = readFlags({
  name: 'measure:trips',
  does: 'Counts the files of src that each call enters.',
  flags: { json: { means: 'print the files of each call as JSON' } },
});

await runTool(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-trips-'));
  const { signal } = listenForStop(() => process.exit(130));
  const http = new Http();
  let stack: StackSession | undefined;
  try {
    const options = { ...stackOptions, dataDir: join(directory, 'data') };
    stack = await StackSession.open(options, output, signal);
    const description = await launch({
      session: stack,
      options,
      entries: measuredEntries(directory),
      // Limits would refuse some of the calls. docs/configuration.md
      environment: { PATH: process.env['PATH'], HOME: process.env['HOME'], RATE_LIMITS: 'off' },
      output,
      signal,
    });
    const files = await measure(description, stack.supervisor.processes, http, new Coverage(directory));
    const missing = notMeasured(files);
    if (missing.length > 0)
      throw new Problem(`not measured, although the call enters it: ${missing.join(', ')}`);
    process.stdout.write(json ? `${JSON.stringify(files)}\n` : `${tripTable(files)}\n`);
    return Object.entries(limits).every(([trip, limit]) => files[trip as Trip].length <= limit);
  } catch (error) {
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await http.close();
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
});
await exitWhenPrinted();

/** The programs of `npm start`, where API and worker load the measuring code before their own. */
function measuredEntries(directory: string): Entries {
  const built = (path: string): string => join(projectRoot, 'dist', path);
  const measured = (name: string, path: string): string => {
    const file = join(directory, `${name}.mjs`);
    const preload = pathToFileURL(join(projectRoot, 'test/trips/preload.mjs')).href;
    const lines = [
      `process.env.TRIPS_DIR = ${JSON.stringify(directory)};`,
      `await import(${JSON.stringify(preload)});`,
      `await import(${JSON.stringify(pathToFileURL(built(path)).href)});`,
    ];
    writeFileSync(file, lines.join('\n'));
    return file;
  };
  return {
    ...entriesOf(),
    api: measured('api', 'src/api/server.js'),
    worker: measured('worker', 'src/worker/main.js'),
  };
}

async function measure(
  { baseUrl, sandboxApiKey }: StackDescription,
  processes: Readonly<Record<string, number>>,
  http: Http,
  coverage: Coverage,
): Promise<Record<Trip, string[]>> {
  const shop = new Shop(http, [baseUrl], [sandboxApiKey]);
  const pids = Object.entries(processes)
    .filter(([name]) => /^(api|worker)(-\d+)?$/.test(name))
    .map(([, pid]) => pid);
  const trip = async <T>(prepare: () => Promise<T>, call: (prepared: T) => Promise<{ status: number }>) => {
    const windows: string[][] = [];
    // The first repetition fills caches and opens connections; it is not counted.
    for (let turn = 0; turn <= REPETITIONS; turn += 1) {
      const prepared = await prepare();
      await sleep(SETTLE_MS);
      await coverage.take(pids);
      const { status } = await call(prepared);
      const entered = await coverage.take(pids);
      if (status >= 300) throw new Problem(`a measured call was answered ${status}`);
      if (turn > 0) windows.push(entered);
    }
    return filesOfTrip(windows);
  };
  return {
    create: await trip(
      async () => randomUUID(),
      (key) => shop.create(key),
    ),
    pay: await trip(
      () => shop.newPayable(),
      (payable) => shop.pay(payable),
    ),
    payment: await trip(
      () => shop.newPaid(),
      ({ id }) => shop.get(`/v1/payments/${id}`),
    ),
    refund: await trip(
      () => shop.newPaid(),
      ({ id }) => shop.refund(id),
    ),
  };
}
