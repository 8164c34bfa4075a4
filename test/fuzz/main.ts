/**
 * `npm run test:fuzz -- [--requests 20000] [--seed 1]`: sends requests drawn from the OpenAPI document with
 * hostile values to its own whole service, beside hostile connections. Prints its progress on stderr every
 * few seconds, and the classes of answers at the end. Exit code 1 when one was not documented, an attack had
 * an effect, or the API's memory grew.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Problem } from '../../scripts/lib/problem.mjs';
import { readFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { reportProgress } from './progress.ts';

/** The figures that the test writes. */
const reportSchema = z.object({
  requests: z.number(),
  seed: z.number(),
  /** Answers by `<operation> <status>`. */
  classes: z.record(z.string(), z.number()),
  /** Number of attacks on connections by their outcome. */
  attacks: z.record(z.string(), z.number()),
  /** Memory of the API's process: after a collection, once warm and at the end, and the resident peak. */
  memoryMib: z.object({ before: z.number(), after: z.number(), residentPeak: z.number() }),
  unclassified: z.array(z.string()),
  /** The requests that were answered with 503 the first time. */
  unavailable: z.array(z.string()),
  /** Lines of the API's log that name an error, if there was an undocumented answer or a 503. */
  failures: z.array(z.string()),
});
type Report = z.infer<typeof reportSchema>;

const values = readFlags({
  name: 'test:fuzz',
  does: 'Sends hostile requests and connections to a whole service of its own.',
  flags: {
    requests: { takes: 'n', means: 'how many requests', otherwise: '20000' },
    seed: { takes: 's', means: 'what they are drawn from', otherwise: '1' },
  },
});

await runTool(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-fuzz-'));
  try {
    return await fuzz(join(directory, 'report.json'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** Returns whether every answer was a documented one. */
async function fuzz(reportPath: string): Promise<boolean> {
  const progressPath = join(dirname(reportPath), 'progress');
  const stopReporting = reportProgress(progressPath, (line) => console.error(`test:fuzz: ${line}`));
  const { code, stderrTail } = await runTest({
    FUZZ_REQUESTS: String(wholeNumber('requests', values.requests)),
    FUZZ_SEED: String(wholeNumber('seed', values.seed)),
    FUZZ_REPORT: reportPath,
    FUZZ_PROGRESS: progressPath,
  }).finally(stopReporting);
  if (!existsSync(reportPath)) throw new Problem(`${stderrTail.trim()}\nthe run ended before it had figures`);
  const report = reportSchema.parse(JSON.parse(readFileSync(reportPath, 'utf8')));
  print(report);
  return report.unclassified.length === 0 && code === 0;
}

/** Runs the test on servers of its own; returns its exit code and the last part of its stderr. */
async function runTest(
  settings: Record<string, string>,
): Promise<{ code: number | null; stderrTail: string }> {
  const test = spawn(
    process.execPath,
    [join(projectRoot, 'scripts', 'test.mjs'), 'test/fuzz', '--selectProjects=endurance'],
    {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...settings },
    },
  );
  let stderrTail = '';
  test.stderr.on('data', (chunk: Buffer) => (stderrTail = (stderrTail + chunk.toString()).slice(-4_000)));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => test.kill(signal));
  return new Promise((resolve) => {
    test.once('exit', (code) => resolve({ code, stderrTail }));
  });
}

function print(report: Report): void {
  const byStatus = new Map<string, number>();
  for (const [name, count] of Object.entries(report.classes)) {
    console.log(`${String(count).padStart(7)}  ${name}`);
    const status = name.split(' ').at(-1) ?? '';
    byStatus.set(status, (byStatus.get(status) ?? 0) + count);
  }
  console.log(`requests: ${report.requests}, seed ${report.seed}`);
  for (const [name, count] of Object.entries(report.attacks)) {
    console.log(`${String(count).padStart(7)}  attack: ${name}`);
  }
  const { before, after, residentPeak } = report.memoryMib;
  console.log(
    `memory of the API: ${before} MiB held when warm, ${after} at the end; at most ${residentPeak} resident`,
  );
  const statuses = [...byStatus].toSorted(([one], [other]) => one.localeCompare(other));
  console.log(`by status: ${statuses.map(([status, count]) => `${status} ${count}`).join(', ')}`);
  for (const line of report.unclassified.slice(0, 20)) console.error(line);
  for (const line of report.unavailable) console.error(`503 the first time: ${line}`);
  for (const line of report.failures) console.error(line.slice(0, 2_000));
  console.log(`unclassified: ${report.unclassified.length}`);
}
