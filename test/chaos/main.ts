/**
 * `npm run test:chaos -- [--schedules N] [--seed S] [--replay SEED] [--pair simulators|stripe]`: real
 * processes, killed and frozen, faults on every hop, an independent checker; `--pair stripe` on the dialects
 * of Stripe and PCI Vault; `--fault KIND`: only this kind of change, in short schedules. `--cluster`: a
 * Temporal cluster of six processes, with partitions, disks, clocks, names and failovers (`cluster/`).
 * `--mutants [--only NAME]`: each mistake made on purpose must be caught, by simulation or by schedules. Exit
 * code 1 when an invariant was broken, or a mutant got through (docs/reliability.md).
 */
import { join } from 'node:path';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { runDecisionMutants } from '../simulation/run-mutants.ts';
import { readFlags } from '../support/harness/flags.ts';
import { type CaughtMutant, printMutants } from '../support/harness/mutant-table.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { copyBuild } from './build-copy.ts';
import { faultKinds, forcedFreezeMs, isFaultKind } from './change-plan.ts';
import { clusterFaultKinds } from './cluster/plan.ts';
import { runClusterSchedules } from './cluster/run.ts';
import { assertServiceMutantsApply, runServiceMutants } from './run-mutants.ts';
import type { NetworkKind } from './programs.ts';
import { type RunOptions, runSchedules } from './run-schedules.ts';
import { type Totals, addUp } from './totals.ts';

const values = readFlags({
  name: 'test:chaos',
  does: 'Kills, freezes and cuts off real processes while payments run, and checks what is left.',
  flags: {
    schedules: { takes: 'n', means: 'how many schedules', otherwise: '10' },
    seed: { takes: 's', means: 'seed of the first', otherwise: '1' },
    replay: { takes: 'seed', means: 'the one schedule of this seed' },
    cluster: { means: 'on a Temporal cluster, with its own kinds of fault' },
    pair: { takes: 'providers', means: 'vault and network: simulators or stripe', otherwise: 'simulators' },
    fault: {
      takes: 'kind',
      means: `in each, only one of: ${faultKinds.join(', ')}; with --cluster: ${clusterFaultKinds.join(', ')}`,
    },
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

/** Exit code of a tool that Ctrl-C ended. */
const interrupted = 130;
const keepIn = join(projectRoot, '.cache', 'chaos');
const logLine = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

await runTool(chosenWork());
if (values.cluster) await exitWhenPrinted();

function chosenWork(): () => Promise<boolean> {
  if (values.mutants || values.planted) return mutantsAreCaught;
  return values.cluster ? clusterHolds : schedulesHold;
}

async function clusterHolds(): Promise<boolean> {
  const seeds = chosenSeeds();
  const only = clusterFaultKinds.find((kind) => kind === values.fault);
  if (values.fault !== undefined && only === undefined) {
    throw new Problem(`--fault must be one of ${clusterFaultKinds.join(', ')}, not ${values.fault}`);
  }
  const { signal } = listenForStop(() => process.exit(interrupted));
  const startedAtMs = Date.now();
  const sum = await runClusterSchedules({ seeds, only, keepIn, logLine, signal });
  const faults = Object.entries(sum.faults).map(([kind, count]) => `${kind} ${count}`);
  console.log(
    `schedules: ${sum.schedules} (seeds ${seeds[0]} to ${seeds.at(-1)}), payments: ${sum.payments}, ` +
      `charges at the network: ${sum.charges}, unknown answers: ${sum.unknowns}, ` +
      `longest recovery: ${(sum.longestRecoveryMs / 1000).toFixed(1)} s, ` +
      `${Math.round((Date.now() - startedAtMs) / 1000)} s in all`,
  );
  console.log(`faults: ${faults.join(', ')}`);
  console.log(`violations: ${sum.violations}`);
  return sum.violations === 0;
}

function chosenSeeds(): number[] {
  const first = wholeNumber('seed', values.replay ?? values.seed);
  const count = values.replay === undefined ? wholeNumber('schedules', values.schedules) : 1;
  return Array.from({ length: count }, (_, index) => first + index);
}

async function schedulesHold(): Promise<boolean> {
  if (values.pair !== 'simulators' && values.pair !== 'stripe') {
    throw new Problem(`--pair must be simulators or stripe, not ${values.pair}`);
  }
  const seeds = chosenSeeds();
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
      `schedules: ${sum.schedules} (seeds ${seeds[0]} to ${seeds.at(-1)}), ` +
        `payments: ${sum.payments} (${sum.bySdk} paid by the SDK), charges at the network: ${sum.charges}, ` +
        `refunds: ${sum.refunds}, disputes: ${sum.disputes}, unknown answers: ${sum.unknowns}, ` +
        `longest recovery: ${(sum.longestRecoveryMs / 1000).toFixed(1)} s, ` +
        `${sum.reconciliations} reconciliations, ${sum.differencesExpected} differences expected, ` +
        `${sum.differencesHealed} healed, ` +
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
  // Checked before the simulation, because the simulation takes long.
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
