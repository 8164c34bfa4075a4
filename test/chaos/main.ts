/**
 * `npm run test:chaos -- [--schedules N] [--seed S] [--replay SEED] [--pair simulators|stripe]`: real
 * processes, killed and frozen, faults on every hop, an independent checker; `--pair stripe` on the dialects
 * of Stripe and PCI Vault; `--fault KIND`: only this kind of change, in short schedules.
 * `--mutants [--only NAME]`: each mistake made on purpose must be caught, by simulation or by schedules. Exit
 * code 1 when an invariant was broken, or a mutant got through (docs/reliability.md).
 */
import { join } from 'node:path';
import { Problem } from '../../scripts/lib/problem.mjs';
import { runDecisionMutants } from '../simulation/run-mutants.ts';
import { readFlags } from '../support/harness/flags.ts';
import { type CaughtMutant, printMutants } from '../support/harness/mutant-table.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { copyBuild } from './build-copy.ts';
import { faultKinds, forcedFreezeMs, isFaultKind } from './change-plan.ts';
import { assertServiceMutantsApply, runServiceMutants } from './run-mutants.ts';
import type { NetworkKind } from './programs.ts';
import { type RunOptions, type Totals, addUp, runSchedules } from './run-schedules.ts';

const values = readFlags({
  name: 'test:chaos',
  does: 'Kills, freezes and cuts off real processes while payments run, and checks what is left.',
  flags: {
    schedules: { takes: 'n', means: 'how many schedules', otherwise: '10' },
    seed: { takes: 's', means: 'seed of the first', otherwise: '1' },
    replay: { takes: 'seed', means: 'the one schedule of this seed' },
    pair: { takes: 'providers', means: 'vault and network: simulators or stripe', otherwise: 'simulators' },
    fault: { takes: 'kind', means: `in each, only one of: ${faultKinds.join(', ')}` },
    freezeSeconds: {
      takes: 'n',
      means: 'of --fault frozen-leader',
      otherwise: String(forcedFreezeMs / 1000),
    },
    mutants: { means: 'instead: each mistake made on purpose must be caught' },
    only: { takes: 'name', means: 'of the mutants, this one' },
    planted: { means: 'the name that --mutants had' },
  },
});
/** Half of the schedules run on each kind of network. A replayed seed runs on the same kind again. */
const networkOf = (seed: number): NetworkKind => {
  if (values.pair === 'stripe') return 'stripe';
  return seed % 2 === 1 ? 'tombstone' : 'horizon';
};

const keepIn = join(projectRoot, '.cache', 'chaos');
const logLine = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

await runTool(values.mutants || values.planted ? mutantsAreCaught : schedulesHold);

async function schedulesHold(): Promise<boolean> {
  if (values.pair !== 'simulators' && values.pair !== 'stripe') {
    throw new Problem(`--pair must be simulators or stripe, not ${values.pair}`);
  }
  const first = wholeNumber('seed', values.replay ?? values.seed);
  const count = values.replay === undefined ? wholeNumber('schedules', values.schedules) : 1;
  const seeds = Array.from({ length: count }, (_, index) => first + index);
  const fault = chosenFault();
  const copy = copyBuild('run');
  try {
    const totals: Totals[] = [];
    for (const network of ['tombstone', 'horizon', 'stripe'] as const) {
      const drawn = seeds.filter((seed) => networkOf(seed) === network);
      if (drawn.length > 0) {
        totals.push(await runSchedules({ dist: copy.dist, seeds: drawn, network, keepIn, logLine, fault }));
      }
    }
    const sum = addUp(totals);
    console.log(
      `schedules: ${sum.schedules} (seeds ${first} to ${first + count - 1}), ` +
        `payments: ${sum.payments} (${sum.bySdk} paid by the SDK), charges at the network: ${sum.charges}, ` +
        `refunds: ${sum.refunds}, disputes: ${sum.disputes}, unknown answers: ${sum.unknowns}, ` +
        `longest recovery: ${(sum.longestRecoveryMs / 1000).toFixed(1)} s, ` +
        `${Math.round(sum.tookMs / 1000)} s in all`,
    );
    console.log(`violations: ${sum.violations.length}`);
    return sum.violations.length === 0;
  } finally {
    copy.remove();
  }
}

function chosenFault(): RunOptions['fault'] {
  const { fault: kind, freezeSeconds } = values;
  if (kind === undefined) return undefined;
  if (!isFaultKind(kind)) throw new Problem(`--fault must be one of ${faultKinds.join(', ')}, not ${kind}`);
  return { kind, freezeMs: wholeNumber('freeze-seconds', freezeSeconds) * 1000 };
}

async function mutantsAreCaught(): Promise<boolean> {
  // Checked before the simulation, which takes long.
  assertServiceMutantsApply();
  const { only } = values;
  const decisions = (await runDecisionMutants(only)).map(({ seeds, ...rest }): CaughtMutant => ({
    ...rest,
    layer: 'simulation',
    after: `seed ${seeds}`,
  }));
  const service = (await runServiceMutants({ keepIn, logLine, only })).map(
    ({ schedules, ...rest }): CaughtMutant => ({
      ...rest,
      layer: 'processes',
      after: `schedule ${schedules}`,
    }),
  );
  return printMutants([...decisions, ...service]);
}
