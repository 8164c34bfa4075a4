/** `npm run simulate -- [--seeds N] [--from S]`: the decisions of a payment under a simulated clock, network and store. */
import { bootstrap, root } from './bootstrap.mjs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { reportingProblems } from './lib/problem.mjs';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '100000' }, from: { type: 'string', default: '1' } },
});

await reportingProblems(async () => {
  await bootstrap();
  await build({ strict: false });
});

const domain = await import(pathToFileURL(join(root, 'dist', 'src', 'domain', 'checkout.js')).href);
const { runSeeds } = await import('../test/simulation/run.mjs');
const result = runSeeds(domain, { first: Number(values.from), count: Number(values.seeds) });
for (const { seed, invariant, detail } of result.violations)
  console.log(`seed ${seed}: ${invariant} ${detail}`);
const years = result.simulatedMs / (365.25 * 86_400_000);
console.log(
  `seeds: ${result.seeds}, steps: ${result.steps}, ${Math.round(result.seeds / result.seconds)} seeds/s, ${years.toFixed(1)} simulated years, ${result.seconds.toFixed(1)} s`,
);
console.log(`violations: ${result.violations.length}`);
process.exitCode = result.violations.length === 0 ? 0 : 1;
