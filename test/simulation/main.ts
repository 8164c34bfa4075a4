/**
 * `npm run test:simulation -- [--seeds N] [--from S] [--mutants]`: the decisions of a payment under a
 * simulated clock, network and store; with `--mutants`, each mistake made on purpose must be caught instead.
 * Exit code 1 when an invariant was broken, or a mutant got through (docs/reliability.md).
 */
import { readFlags } from '../support/harness/flags.ts';
import { printMutants } from '../support/harness/mutant-table.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { loadDecisions } from './decisions.ts';
import { runDecisionMutants } from './run-mutants.ts';
import { runSeeds } from './run-seeds.ts';

const values = readFlags({
  name: 'test:simulation',
  does: 'Plays payments under a simulated clock, network and store, one per seed.',
  flags: {
    seeds: { takes: 'n', means: 'how many', otherwise: '100000' },
    from: { takes: 's', means: 'the first', otherwise: '1' },
    mutants: { means: 'instead: each mistake made on purpose must be caught' },
    only: { takes: 'name', means: 'of the mutants, this one' },
  },
});

await runTool(values.mutants ? mutantsAreCaught : seedsHold);

async function mutantsAreCaught(): Promise<boolean> {
  const results = await runDecisionMutants(values.only);
  return printMutants(
    results.map(({ name, violation, seeds }) => ({
      name,
      layer: 'simulation',
      violation,
      after: `seed ${seeds}`,
    })),
  );
}

async function seedsHold(): Promise<boolean> {
  const played = runSeeds(await loadDecisions(null), {
    first: wholeNumber('from', values.from),
    count: wholeNumber('seeds', values.seeds),
  });
  for (const { seed, invariant, detail } of played.violations) {
    console.log(`seed ${seed}: ${invariant} ${detail}`);
  }
  const years = played.simulatedMs / (365.25 * 86_400_000);
  const seconds = played.tookMs / 1000;
  const perSecond = Math.round(played.seeds / seconds);
  console.log(
    `seeds: ${played.seeds}, steps: ${played.steps}, ${perSecond} seeds/s, ` +
      `${years.toFixed(1)} simulated years, ${seconds.toFixed(1)} s`,
  );
  console.log(`violations: ${played.violations.length}`);
  return played.violations.length === 0;
}
