/**
 * `npm run bench -- [--quick] [--json] [--temporal dev|server] [--workers N] [--apis N] [--endpoints N]
 * [--merchants N] [--rows N] [--only A,B] [--checkout DIR]`: starts its own stack, and measures it and the
 * floors in the same run. Progress goes to stderr, the table or the JSON to stdout (docs/performance.md).
 */
import { availableParallelism } from 'node:os';
import { StackProblem } from '../../local-stack/problem.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import type { Bench } from './bench.ts';
import type { Figures } from './figures.ts';
import { Floors } from './floors.ts';
import { Http } from './http.ts';
import { prepareMerchants } from './merchants.ts';
import { Meter } from './meter.ts';
import { isWanted, parseBenchOptions } from './options.ts';
import { type DeliveryReceiver, openDeliveryReceiver } from './receiver.ts';
import { runBurst } from './sections/burst.ts';
import { callSteps, runCalls } from './sections/calls.ts';
import { residentMib, runGrowth } from './sections/growth.ts';
import { type IdleFigures, watchIdle } from './sections/idle.ts';
import { runLists } from './sections/lists.ts';
import { runOpenLoop } from './sections/open-loop.ts';
import { runSignIns } from './sections/sign-ins.ts';
import { runSlow } from './sections/slow.ts';
import { runSteady, type SteadyFigures } from './sections/steady.ts';
import { Shop } from './shop.ts';
import { type BenchStack, startBenchStack } from './stack.ts';
import { failed, idleTable, short, steadyTable, tableOf } from './table.ts';

const startedAt = performance.now();
const logLine = (line: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stderr.write(`${String(seconds).padStart(4)} s  ${line}\n`);
};

await runTool(async () => {
  const options = parseBenchOptions(
    process.argv.slice(2),
    callSteps.map(({ name }) => name),
  );
  const { signal } = listenForStop(() => process.exit(130));
  let stack: BenchStack | undefined;
  const http = new Http();
  const receiver = await openDeliveryReceiver();
  try {
    stack = await startBenchStack({ options, logLine, signal });
    const [apiUrl = ''] = stack.description.apiUrls;
    const apiKeys = await prepareMerchants(
      { merchantId: stack.description.merchantId, apiKey: stack.description.sandboxApiKey, apiUrl },
      stack.operator,
      http,
      { merchants: options.merchants, endpoints: options.endpoints, receiverUrl: receiver.url },
    );
    const bench = benchOn(stack, { options, http, apiKeys, receiver, signal });
    await runSections(bench);
    report(bench);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await http.close();
    await stack?.stop();
    await receiver.close();
  }
});
await exitWhenPrinted();

interface MeasuredBench extends Bench {
  all: Figures[];
  idle: IdleFigures[];
  steady: SteadyFigures[];
}

function benchOn(
  stack: BenchStack,
  {
    options,
    http,
    apiKeys,
    receiver,
    signal,
  }: Pick<Bench, 'options' | 'http' | 'signal'> & { apiKeys: readonly string[]; receiver: DeliveryReceiver },
): MeasuredBench {
  const all: Figures[] = [];
  const add = (figures: Figures): void => {
    all.push(figures);
    logLine(lineOf(figures));
  };
  const meter = new Meter({
    processes: stack.processes,
    counter: stack.counter,
    temporal: stack.temporal,
    temporalInPostgres: options.temporal === 'server',
    received: () => receiver.received(),
    signal,
  });
  const shop = new Shop(http, stack.description.apiUrls, apiKeys);
  const floors = new Floors({ url: stack.floorUrl, http, meter, sizes: options.sizes, add, signal });
  return { options, stack, http, shop, meter, floors, add, logLine, signal, all, idle: [], steady: [] };
}

async function runSections(bench: MeasuredBench): Promise<void> {
  const { options, idle } = bench;
  const { only } = options;
  // Always measured, because the other sections subtract it.
  idle.push(await watchIdle(bench, 'nothing open'));
  logLine(`idle: ${short(Object.values(idle[0]?.corePercent ?? {}).reduce((a, b) => a + b, 0))} % of a core`);
  await runCalls(bench);
  if (isWanted(only, 'openLoop')) await runOpenLoop(bench);
  if (isWanted(only, 'burst')) await runBurst(bench);
  if (isWanted(only, 'signIns')) await runSignIns(bench);
  if (isWanted(only, 'slow')) await runSlow(bench);
  if (isWanted(only, 'growth')) {
    await runGrowth(bench);
    idle.push(await watchIdle(bench, `${Math.max(...options.sizes.openPayments)} open and more`));
  }
  if (isWanted(only, 'steady')) bench.steady.push(...(await runSteady(bench)));
  // Last, because a million rows would disturb every other section.
  if (isWanted(only, 'lists')) idle.push(...(await runLists(bench)));
}

function report({ options, stack, all, idle, steady }: MeasuredBench): void {
  const { sizes: _sizes, ...asked } = options;
  const about = {
    at: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    tookSeconds: Math.round((performance.now() - startedAt) / 1000),
    ...asked,
  };
  if (options.json) {
    console.log(JSON.stringify({ about, figures: all, idle, steady }, null, 1));
    return;
  }
  console.log(`${JSON.stringify(about)}\nresident MiB: ${residentMib(stack.processes())}\n`);
  console.log(`${tableOf(all)}\n\n${idleTable(idle)}`);
  if (steady.length > 0) console.log(`\n${steadyTable(steady)}`);
}

function lineOf({
  section,
  name,
  callers,
  perSecond,
  latencyMs,
  processorMs,
  outcomes,
  ratio,
}: Figures): string {
  const bad = failed(outcomes);
  return [
    `${section} ${name}${callers === null ? '' : ` x${callers}`}: ${short(perSecond)}/s`,
    `p50 ${short(latencyMs.p50)}`,
    `p99 ${short(latencyMs.p99)} ms`,
    `cpu ${short(processorMs?.sum)} ms`,
    ...(ratio === null ? [] : [`of floor ${short(ratio.perSecond)}, cpu ${short(ratio.processorTime)}`]),
    ...(bad === '0' ? [] : [`failed: ${bad}`]),
  ].join(', ');
}
