import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ScriptCounts, executedLines, inRanges, linesWithCode, modulesOf } from './covered-lines.ts';
import { isOtherCommand, withOneCommandMore } from './other-build.ts';
import { bundlePath } from './world.ts';

/** The modules whose lines are counted, as folders of `src`. */
const groups = [
  'workflows',
  'activities',
  'operations',
  'db/payments',
  'db/refunds',
  'db/disputes',
  'db/webhooks',
] as const;

/** A module with a smaller share of covered lines is printed with the numbers of the others. */
const enough = 0.95;

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * Plays with the same arguments in a child process that counts what it executes (NODE_V8_COVERAGE), and
 * prints the lines of the money path that were covered. Returns whether the child found no violation.
 */
export async function playWithCoverage(): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-coverage-'));
  // Each build has another length, so it is read before a later build replaces it.
  const bundle = readFileSync(bundlePath, 'utf8');
  try {
    const args = process.argv.slice(1).filter((argument) => argument !== '--coverage');
    const env = { ...process.env, NODE_V8_COVERAGE: directory };
    const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    printCoverage(readExecuted(directory, bundle));
    return code === 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the executed lines of each module, by its path below `src`. */
function readExecuted(directory: string, bundle: string): Map<string, boolean[]> {
  const modules = new Map<string, boolean[]>();
  const add = (name: string, lines: readonly boolean[]): void => {
    const before = modules.get(name) ?? [];
    modules.set(
      name,
      lines.map((isExecuted, index) => isExecuted || before[index] === true),
    );
  };
  const bundles = [bundle, withOneCommandMore(bundle)];
  for (const name of readdirSync(directory)) {
    const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as { result: ScriptCounts[] };
    for (const counts of result) {
      const path = counts.url.startsWith('file:') ? fileURLToPath(counts.url) : counts.url;
      if (path === bundlePath) {
        // Both builds have the same path.
        const text = bundles.find(({ length }) => length === lengthOf(counts));
        if (text === undefined) continue;
        const found = modulesOf(text, executedLines(text, counts), isOtherCommand);
        for (const [module, lines] of found) add(module, lines);
      } else if (path.startsWith(source)) {
        add(path.slice(source.length), executedLines(readFileSync(path, 'utf8'), counts));
      }
    }
  }
  return modules;
}

const lengthOf = ({ functions }: ScriptCounts): number =>
  Math.max(...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)));

function printCoverage(executed: ReadonlyMap<string, boolean[]>): void {
  const summary: string[] = [];
  for (const group of groups) {
    let [all, covered] = [0, 0];
    for (const name of modulesIn(group)) {
      const lines = linesWithCode(readFileSync(source + name, 'utf8'));
      const missing = lines.filter((line) => executed.get(name)?.[line - 1] !== true);
      all += lines.length;
      covered += lines.length - missing.length;
      const share = 1 - missing.length / lines.length;
      if (share < enough) console.log(`${name} ${percent(share)}, not covered: ${inRanges(missing)}`);
    }
    summary.push(`${group}: ${covered} of ${all} lines, ${percent(covered / all)}`);
  }
  for (const line of summary) console.log(line);
}

const modulesIn = (group: string): string[] =>
  readdirSync(source + group, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${group}/${name}`)
    .toSorted();

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
