/**
 * `npm run chaos -- [--schedules N] [--seed S] [--replay SEED] [--planted]`: real processes, killed and frozen, faults
 * on every hop, an independent judge. Exit code 1 when an invariant was broken (docs/reliability.md).
 */
import { bootstrap, root } from './bootstrap.mjs';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { reportingProblems, say } from './lib/problem.mjs';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    planted: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

await reportingProblems(async () => {
  await bootstrap();
  await build({ strict: true });
});

const keepIn = join(root, '.cache', 'chaos');
if (values.planted) {
  const { runPlanted } = await import('../test/chaos/mutants.mjs');
  process.exitCode = (await runPlanted({ root, keepIn, say, only: values.only })) ? 0 : 1;
} else {
  const { runSchedules } = await import('../test/chaos/main.mjs');
  const first = Number(values.replay ?? values.seed);
  const count = values.replay === undefined ? Number(values.schedules) : 1;
  const seeds = Array.from({ length: count }, (_, index) => first + index);
  const { copyOfDist } = await import('../test/chaos/build-copy.mjs');
  const dist = copyOfDist(root, 'run');
  const result = await runSchedules({ dist, seeds, keepIn, say });
  rmSync(dirname(dist), { recursive: true, force: true });
  const { schedules, payments, charges, refunds, disputes, unknowns, seconds, longestSettleMs, violations } =
    result;
  console.log(
    `schedules: ${schedules} (seeds ${first} to ${first + count - 1}), payments: ${payments}, charges at the network: ${charges}, refunds: ${refunds}, disputes: ${disputes}, unknown answers: ${unknowns}, longest settling: ${(longestSettleMs / 1000).toFixed(1)} s, ${seconds} s in all`,
  );
  console.log(`violations: ${violations.length}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
