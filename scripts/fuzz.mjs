/**
 * `npm run fuzz -- [--requests 20000] [--seed 1]`: requests drawn from the OpenAPI document with hostile values, against
 * a whole service of its own. Prints the classes of answers; exit 1 when one was not documented.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
for (const [name, value] of Object.entries(values)) {
  if (!/^[1-9]\d{0,6}$/.test(value)) {
    console.error(`--${name} must be a positive whole number`);
    process.exit(1);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'card-payments-fuzz-'));
const report = join(directory, 'report.json');
const runner = spawn(
  process.execPath,
  [join(root, 'scripts/test.mjs'), 'test/fuzz', '--selectProjects=stack'],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, FUZZ_REQUESTS: values.requests, FUZZ_SEED: values.seed, FUZZ_REPORT: report },
  },
);
let said = '';
runner.stderr.on('data', (chunk) => (said = (said + chunk).slice(-4_000)));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal));
const code = await new Promise((resolve) => runner.once('exit', resolve));

if (!existsSync(report)) {
  console.error(said.trim());
  console.error('the run ended before it had figures');
  process.exit(1);
}
const { requests, seed, classes, unclassified } = JSON.parse(readFileSync(report, 'utf8'));
rmSync(directory, { recursive: true });
const byStatus = {};
for (const [name, count] of Object.entries(classes)) {
  console.log(`${String(count).padStart(7)}  ${name}`);
  const status = name.split(' ').at(-1);
  byStatus[status] = (byStatus[status] ?? 0) + count;
}
console.log(`requests: ${requests}, seed ${seed}`);
console.log(
  `by status: ${Object.entries(byStatus)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ')}`,
);
for (const line of unclassified.slice(0, 20)) console.error(line);
console.log(`unclassified: ${unclassified.length}`);
process.exit(unclassified.length === 0 && code === 0 ? 0 : 1);
