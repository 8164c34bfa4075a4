/**
 * `npm run test:soak -- [--payments N] [--data-dir DIR] [--kill worker,temporal,postgres]`: many payments on
 * a running stack while its processes are killed, to four endpoints: a healthy one, one that fails 30 % of
 * the time, one that answers slowly, one that is unavailable for a while; the healthy one's secret is rotated
 * half-way. Then compares the event log with what each endpoint got, verifies every signature by itself, and
 * prints the figures. Exit code 1 when anything is missing, doubled, forged or slow. Start the stack with:
 *
 *   RATE_LIMITS=off WEBHOOK_RETRY_SCHEDULE_SECONDS=0,1,2,3,5,8,13,21,34,55 npm start -- --no-demo --workers 2
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem } from '../../scripts/lib/problem.mjs';
import { readFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { runTool } from '../support/harness/run-tool.ts';
import type { Stack } from './api.ts';
import { Endpoint, drips, failsNowAndThen, takes } from './endpoints.ts';
import { newestEvent, readLog } from './event-log.ts';
import { killProcesses } from './killer.ts';
import { pay } from './pay.ts';
import { isGood, reportOf } from './report.ts';

const values = readFlags({
  name: 'test:soak',
  does: 'Pays on a running stack while its processes are killed, and compares what endpoints got.',
  flags: {
    payments: { takes: 'n', means: 'how many payments', otherwise: '1000' },
    concurrency: { takes: 'n', means: 'payments at a time', otherwise: '6' },
    dataDir: { takes: 'directory', means: 'where the stack keeps everything', otherwise: '.local' },
    kill: {
      takes: 'kinds',
      means: 'kinds of process to kill, in turn: worker,temporal,postgres',
      otherwise: 'worker',
    },
    killEvery: { takes: 'seconds', means: 'time between two of them', otherwise: '15' },
    away: { takes: 'seconds', means: 'how long one endpoint is away', otherwise: '30' },
    settleMinutes: { takes: 'n', means: 'longest wait for the last deliveries', otherwise: '15' },
  },
});
const logLine = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

await runTool(async () => {
  const payments = wholeNumber('payments', values.payments);
  const concurrency = wholeNumber('concurrency', values.concurrency);
  const awayMs = wholeNumber('away', values.away, 0) * 1000;
  const patienceMs = wholeNumber('settle-minutes', values.settleMinutes, 0) * 60_000;
  const killEveryMs = wholeNumber('kill-every', values.killEvery) * 1000;
  const { baseUrl, sandboxApiKey } = readStack();
  const stack: Stack = { baseUrl, apiKey: sandboxApiKey };

  const since = await newestEvent(stack);
  const healthy = new Endpoint(stack, 'healthy', takes);
  const away = new Endpoint(stack, 'away', takes);
  const fails = new Endpoint(stack, 'fails', failsNowAndThen);
  const endpoints = [healthy, fails, new Endpoint(stack, 'drips', drips), away];
  for (const endpoint of endpoints) await endpoint.open();

  const startedAtMs = Date.now();
  const stopKilling = new AbortController();
  const killing = killProcesses({
    kinds: values.kill.split(',').filter((kind) => kind !== ''),
    everyMs: killEveryMs,
    processes: () => readStack().processes,
    signal: stopKilling.signal,
    logLine,
  });
  const absence = beAway(away, awayMs);
  const paid = await payAll(stack, { payments, concurrency, halfWay: () => healthy.rotateSecret() });
  const payingMs = Date.now() - startedAtMs;
  await absence;
  stopKilling.abort();
  const kills = await killing;

  const log = await readLog(stack, since);
  await untilDelivered(endpoints, new Set(log.map(({ id }) => id)), patienceMs);
  const report = reportOf({ paid, payingMs, kills, log, endpoints, healthy });
  logLine(JSON.stringify(report, null, 2));
  for (const endpoint of endpoints) await endpoint.remove();
  return isGood(report);
});

/** Read anew each time: its processes change when they are started again. */
function readStack(): { baseUrl: string; sandboxApiKey: string; processes: Record<string, number> } {
  const path = join(values.dataDir, 'stack.json');
  if (!existsSync(path)) throw new Problem(`there is no ${path}: start a stack, or name it with --data-dir`);
  return z
    .object({
      baseUrl: z.string(),
      sandboxApiKey: z.string(),
      processes: z.record(z.string(), z.number()),
    })
    .parse(JSON.parse(readFileSync(path, 'utf8')));
}

async function beAway(endpoint: Endpoint, awayMs: number): Promise<void> {
  await sleep(10_000);
  await endpoint.close();
  logLine('… one endpoint is away');
  await sleep(awayMs);
  await endpoint.open();
  logLine('… it is back');
}

/** Pays all payments, some at a time; returns their ids. */
async function payAll(
  stack: Stack,
  { payments, concurrency, halfWay }: { payments: number; concurrency: number; halfWay: () => Promise<void> },
): Promise<string[]> {
  const startedAtMs = Date.now();
  const ids: string[] = [];
  let next = 0;
  const payOn = async (): Promise<void> => {
    while (next < payments) {
      const index = next;
      next += 1;
      if (index === Math.floor(payments / 2)) await halfWay();
      ids.push(await pay(stack, index));
      const seconds = Math.round((Date.now() - startedAtMs) / 1000);
      if (ids.length % 100 === 0) logLine(`… ${ids.length} paid after ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, payOn));
  return ids;
}

/** Waits until every endpoint has taken every event, or patience ends. */
async function untilDelivered(
  endpoints: readonly Endpoint[],
  eventIds: ReadonlySet<string>,
  patienceMs: number,
): Promise<void> {
  const untilMs = Date.now() + patienceMs;
  while (endpoints.some((endpoint) => endpoint.missing(eventIds) > 0) && Date.now() < untilMs) {
    await sleep(1_000);
  }
}
