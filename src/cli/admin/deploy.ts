import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import type { Client } from '@temporalio/client';
import { bundleHash } from '../../crypto/bundle-hash.ts';
import { confirmAlert } from '../../db/server/operator-alerts.ts';
import {
  createDeployments,
  type Deployments,
  type DeploymentState,
  unpolledQueues,
} from '../../temporal/clients/deployments.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createDataConverter } from '../../temporal/data-converter.ts';
import { reasonOf } from '../doctor/check.ts';
import type { ReplayReport } from '../deploy/replay.ts';
import { isStranded, readStatus } from '../deploy/status.ts';
import { problems } from '../problems.ts';
import { type Operator, operate, OperatorError, type PrintFlags, withCommonFlags } from './operator.ts';

/** Exit code of a command that found a fault. */
const faultsFound = 3;
/** The maximum number of runs that a promotion replays. */
const maxReplayed = 1_000;
/** Longest wait for Temporal's first answer, in ms. */
const connectMs = 5_000;
const ownBundle = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));

interface DeployFlags extends PrintFlags {
  dataDir: string;
  build: string;
  bundle: string;
  limit: number;
  percent: number;
  force: boolean;
}

interface Deploying extends Operator {
  client: Client;
  deployments: Deployments;
}

/** `deploy`: shows, replays, promotes and retires builds of the workers. docs/operations.md, "Builds". */
export function deployCommands(program: Command): void {
  const deploy = program.command('deploy').description('Builds of the workers: promote, roll back, retire');
  const verb = (name: string): Command => withCommonFlags(deploy.command(name));

  verb('status').action((flags: DeployFlags) =>
    deploying(flags, async ({ deployments }) => {
      const status = await readStatus(deployments);
      if (isStranded(status)) process.exitCode = faultsFound;
      return status;
    }),
  );

  verb('replay')
    .requiredOption('--bundle <file>', 'workflow-bundle.js of the build')
    .option(
      '--limit <n>',
      'maximum number of workflows that are tested, newest first',
      wholeFlag('--limit', 10_000),
      500,
    )
    .action((flags: DeployFlags) =>
      deploying(flags, async (operator) => found(await replayed(operator, flags, true))),
    );

  verb('promote')
    .requiredOption('--build <id>', 'the build, as deploy status names it')
    .option(
      '--percent <n>',
      'share of the new workflows; 100 makes it current',
      wholeFlag('--percent', 100),
      100,
    )
    .option(
      '--bundle <file>',
      'workflow-bundle.js of the build, if it is not that of this command',
      ownBundle,
    )
    .option('--force', 'promote even if open workflows cannot continue, or a queue has no worker', false)
    .action((flags: DeployFlags) => deploying(flags, (operator) => promote(operator, flags)));

  verb('rollback').action((flags: DeployFlags) => deploying(flags, rollBack));

  verb('retire')
    .requiredOption('--build <id>', 'the build, as deploy status names it')
    .action((flags: DeployFlags) => deploying(flags, (operator) => retire(operator, flags.build)));
}

const wholeFlag =
  (name: string, max: number) =>
  (text: string): number => {
    const value = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > max) throw new InvalidArgumentError(problems.wholeNumber(name, max));
    return value;
  };

function deploying(flags: DeployFlags, work: (operator: Deploying) => Promise<object>): Promise<void> {
  return operate(flags, async (operator) => {
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, TASK_QUEUE_PREFIX } = operator.settings;
    const client = createTemporalClient({ address, namespace }, createDataConverter(operator.keyring));
    try {
      await client.connection
        .withDeadline(Date.now() + connectMs, () => client.workflowService.describeNamespace({ namespace }))
        .catch((error: unknown) => {
          throw new OperatorError(problems.temporalUnreachable(address, namespace, reasonOf(error)));
        });
      const deployments = createDeployments({ client, queuePrefix: TASK_QUEUE_PREFIX });
      return await work({ ...operator, client, deployments });
    } finally {
      await client.connection.close();
    }
  });
}

/** Sets the exit code for a found fault if any run does not replay. Returns the report. */
function found(report: ReplayReport): ReplayReport {
  if (report.failing.length > 0) process.exitCode = faultsFound;
  return report;
}

async function replayed(
  { client, settings }: Deploying,
  { bundle, limit }: Pick<DeployFlags, 'bundle' | 'limit'>,
  all: boolean,
): Promise<ReplayReport> {
  hashOf(bundle);
  try {
    // Loaded here, because the worker's SDK takes a tenth of a second, which other commands do not need.
    const { replayRuns } = await import('../deploy/replay.ts');
    return await replayRuns({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, bundle, all, limit });
  } catch (error) {
    throw new OperatorError(problems.noBundle(bundle, reasonOf(error)), { cause: error });
  }
}

function hashOf(bundle: string): string {
  try {
    return bundleHash(readFileSync(bundle, 'utf8'));
  } catch {
    throw new OperatorError(problems.unreadableFile('--bundle', bundle));
  }
}

async function stateWith(deployments: Deployments, build: string): Promise<DeploymentState> {
  const state = await deployments.read();
  if (!state?.versions.some(({ buildId }) => buildId === build))
    throw new OperatorError(problems.noBuild(build));
  return state;
}

async function promote(operator: Deploying, flags: DeployFlags): Promise<object> {
  const { build, percent, bundle, force } = flags;
  const { deployments, database } = operator;
  const state = await stateWith(deployments, build);
  const workers = await deployments.workers();
  if (!workers.some(({ buildId }) => buildId === build)) throw new OperatorError(problems.noWorkers(build));
  const [unpolled] = unpolledQueues(workers, build);
  if (unpolled !== undefined && !force) throw new OperatorError(problems.unpolledQueue(build, unpolled));
  const stored = await deployments.bundleOf(build);
  const isOther = stored !== null && stored !== hashOf(bundle);
  if (isOther && !force) throw new OperatorError(problems.otherBundle(build, bundle));
  const report = await replayed(operator, { bundle, limit: maxReplayed }, false);
  const { failing } = report;
  if (failing.length > 0 && !force) {
    process.exitCode = faultsFound;
    return { promoted: false, build, current: state.current, ...report };
  }
  const forced = unpolled !== undefined || isOther || failing.length > 0;
  // Recorded as an alert: the audit log belongs to one merchant, but this concerns all of them.
  if (forced) await confirmAlert(database, { sweep: 'deploys', subject: build, detail: 'forced' });
  if (percent === 100) await deployments.setCurrent(state, build);
  else await deployments.setRamping(state, build, percent);
  const after = await deployments.read();
  return {
    promoted: true,
    build,
    current: after?.current ?? null,
    ramping: after?.ramping ?? null,
    previous: state.current,
    forced,
    ...report,
  };
}

/** Ends the ramp if there is one, else makes the previous current build current again. */
async function rollBack({ deployments }: Deploying): Promise<object> {
  const state = await deployments.read();
  if (state?.ramping) {
    await deployments.setRamping(state, null, 0);
    return { current: state.current, ramping: null, previous: state.ramping.buildId };
  }
  const [before] = (state?.versions ?? [])
    .filter(({ buildId, lastCurrentAtMs }) => buildId !== state?.current && lastCurrentAtMs > 0)
    .toSorted((one, other) => other.lastCurrentAtMs - one.lastCurrentAtMs);
  if (!state || !before) throw new OperatorError(problems.nothingBefore);
  const { buildId } = before;
  const [unpolled] = unpolledQueues(await deployments.workers(), buildId);
  if (unpolled !== undefined) throw new OperatorError(problems.unpolledQueue(buildId, unpolled));
  await deployments.setCurrent(state, buildId);
  return { current: buildId, ramping: null, previous: state.current };
}

async function retire({ deployments }: Deploying, build: string): Promise<object> {
  const state = await stateWith(deployments, build);
  if (state.current === build || state.ramping?.buildId === build)
    throw new OperatorError(problems.buildInUse(build));
  const openWorkflows = await deployments.countOpen(build);
  if (Object.keys(openWorkflows).length > 0) {
    process.exitCode = faultsFound;
    return { retired: false, build, openWorkflows };
  }
  try {
    await deployments.remove(build);
  } catch (error) {
    throw new OperatorError(problems.notRetired(build, reasonOf(error)), { cause: error });
  }
  return { retired: true, build };
}
