/**
 * `npm run measure:trips [-- --json]`: starts a stack of its own and counts the files of `src` that a call
 * enters, in API and worker together, without the workflow's own thread (docs/architecture.md). Progress is on
 * stderr, the table or the JSON on stdout. Exit code 1 when a call enters more files than its limit.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Problem } from '../../scripts/lib/problem.mjs';
import { Http } from '../bench/http.ts';
import { Shop } from '../bench/shop.ts';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { Coverage } from './coverage.ts';
import { type Trip, filesOfTrip, limits, tripTable } from './trips.ts';

const REPETITIONS = 6;
const START_TRIES = 1_200;
const BETWEEN_TRIES_MS = 500;

interface Description {
  baseUrl: string;
  sandboxApiKey: string;
  processes: Record<string, number>;
}

const { json } = readFlags({
  name: 'measure:trips',
  does: 'Counts the files of src that each call enters.',
  flags: { json: { means: 'print the files of each call as JSON' } },
});

await runTool(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-trips-'));
  const stack = startStack(directory);
  const http = new Http();
  try {
    const description = await untilReady(stack, join(directory, 'data'));
    process.stderr.write('the stack is ready; each call is made several times\n');
    const files = await measure(description, http, new Coverage(join(directory, 'coverage')));
    process.stdout.write(json ? `${JSON.stringify(files)}\n` : `${tripTable(files)}\n`);
    return Object.entries(limits).every(([trip, limit]) => files[trip as Trip].length <= limit);
  } finally {
    await http.close();
    await stop(stack);
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
});

function startStack(directory: string): ChildProcess {
  mkdirSync(join(directory, 'coverage'));
  const preload = pathToFileURL(join(projectRoot, 'test/trips/preload.mjs')).href;
  return spawn(
    process.execPath,
    [join(projectRoot, 'scripts/start.mjs'), '--no-demo', '--data-dir', join(directory, 'data')],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        RATE_LIMITS: 'off',
        TRIPS_DIR: join(directory, 'coverage'),
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`,
      },
    },
  );
}

async function untilReady(stack: ChildProcess, dataDir: string): Promise<Description> {
  for (let tried = 0; tried < START_TRIES; tried += 1) {
    if (stack.exitCode !== null) break;
    try {
      return JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as Description;
    } catch {
      await sleep(BETWEEN_TRIES_MS);
    }
  }
  throw new Problem('the stack did not start: run npm start to see why');
}

async function measure(
  { baseUrl, sandboxApiKey, processes }: Description,
  http: Http,
  coverage: Coverage,
): Promise<Record<Trip, string[]>> {
  const shop = new Shop(http, [baseUrl], sandboxApiKey);
  const pids = Object.entries(processes)
    .filter(([name]) => /^(api|worker)(-\d+)?$/.test(name))
    .map(([, pid]) => pid);
  const trip = async <T>(prepare: () => Promise<T>, call: (prepared: T) => Promise<{ status: number }>) => {
    const windows: string[][] = [];
    // The first repetition fills caches and opens connections; it is not counted.
    for (let turn = 0; turn <= REPETITIONS; turn += 1) {
      const prepared = await prepare();
      await sleep(BETWEEN_TRIES_MS);
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

async function stop(stack: ChildProcess): Promise<void> {
  if (stack.exitCode !== null) return;
  stack.kill('SIGTERM');
  await new Promise((resolve) => stack.once('exit', resolve));
}
