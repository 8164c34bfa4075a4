import { type Command, InvalidArgumentError } from 'commander';
import { openConnectors } from '../../connectors/open.ts';
import { readPromotion, readTimeline } from '../../db/server/cluster-timeline.ts';
import { holdWrites, readRestoreWatch } from '../../db/server/restore-watch.ts';
import { failoverSteps, freeCommits, mayHaveLostCommits } from '../../operations/restore/failover-steps.ts';
import { findLost, maxNamed } from '../../operations/restore/find-lost.ts';
import { type FinishedRestore, finishRestore } from '../../operations/restore/finish-restore.ts';
import type { WriteDeps } from '../../operations/restore/restore-payment.ts';
import { simulatorsOf } from '../../runtime/simulators.ts';
import { createKnownRuns } from '../../temporal/clients/known-runs.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createDataConverter } from '../../temporal/data-converter.ts';
import { reasonOf } from '../doctor/check.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  operate,
  type Operator,
  OperatorError,
  type PrintFlags,
  WrongFlagError,
  withCommonFlags,
} from './operator.ts';

/** Exit codes of a command that could not finish its work, and of one that found lost rows. */
const incomplete = 1;
const faultsFound = 3;
/** Longest wait for Temporal's first answer, and for a call to a network, in ms. */
const connectMs = 5_000;
const networkMs = 8_000;
/** How far back a search goes if no instant is given, in ms. */
const lookBackMs = 24 * 60 * 60_000;

interface RestoreFlags extends PrintFlags {
  dataDir: string;
  since?: Date;
  wait: number;
  finish: boolean;
}

/**
 * `restore …`: finds and restores the rows that a restore of an older state lost. docs/runbooks/restore.md.
 */
export function restoreCommands(program: Command): void {
  const restore = program
    .command('restore')
    .description('Payments and refunds that a restore or a failover lost');
  const verb = (name: string): Command =>
    withCommonFlags(
      restore
        .command(name)
        .option('--since <instant>', 'search what began at this instant or later', sinceFlag),
    );
  verb('check').action((flags: RestoreFlags) => restoring(flags, check));
  verb('finish')
    .option(...waitOption)
    .action((flags: RestoreFlags) => restoring(flags, finish));
  verb('failover')
    .option('--finish', 'write back what is lost, as restore finish does', false)
    .option(...waitOption)
    .action((flags: RestoreFlags) => restoring(flags, failover));
}

const sinceFlag = (text: string): Date => {
  const isKnown = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text);
  const instant = new Date(isKnown ? text : Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new InvalidArgumentError(problems.instant('--since'));
  return instant;
};

const waitFlag = (text: string): number => {
  const seconds = Number(text);
  if (!/^[1-9]\d*$/.test(text) || seconds > 3_600) {
    throw new InvalidArgumentError(problems.wholeNumber('--wait', 3_600));
  }
  return seconds;
};

const waitOption = ['--wait <seconds>', 'how long to wait for the worker', waitFlag, 120] as const;

type Restoring = WriteDeps & { since: Date };

/** Opens Temporal and the networks for a command, and closes them afterwards. */
function restoring(
  flags: RestoreFlags,
  work: (deps: Restoring, flags: RestoreFlags) => Promise<object>,
): Promise<void> {
  return operate(flags, async (operator) => {
    const { settings, database, keyring, now } = operator;
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = settings;
    const since = await sinceOf(operator, flags);
    const client = createTemporalClient({ address, namespace }, createDataConverter(keyring));
    const providers = openConnectors({
      database,
      keyring,
      now,
      simulators: simulatorsOf(settings),
      simulatorOptions: { networkTimeoutMs: networkMs, unseenKeyHorizonMs: null },
      cardFrame: null,
    });
    try {
      await client.connection
        .withDeadline(Date.now() + connectMs, () => client.workflowService.describeNamespace({ namespace }))
        .catch((error: unknown) => {
          throw new OperatorError(problems.temporalUnreachable(address, namespace, reasonOf(error)));
        });
      const deps: Restoring = {
        database,
        keyring,
        connectors: providers.connectors,
        runs: createKnownRuns({ client, queuePrefix: settings.TASK_QUEUE_PREFIX }),
        now,
        publicUrl: settings.PUBLIC_URL,
        checkoutDeadlineSeconds: settings.CHECKOUT_DEADLINE_SECONDS,
        idempotencyRetentionSeconds: settings.IDEMPOTENCY_RETENTION_SECONDS,
        since,
      };
      return await work(deps, flags);
    } finally {
      await Promise.all([client.connection.close(), providers.close()]);
    }
  });
}

/**
 * Returns the given instant; else the instant from which rows may be lost, but at the latest that of a day
 * ago.
 */
async function sinceOf({ database, now }: Operator, { since }: RestoreFlags): Promise<Date> {
  const { lostSince, comparedUntil } = await readRestoreWatch(database);
  if (since !== undefined) {
    if (since.getTime() > now()) throw new WrongFlagError(problems.sinceInFuture);
    return since;
  }
  const known = [lostSince, comparedUntil].flatMap((instant) => instant?.getTime() ?? []);
  return new Date(Math.min(now() - lookBackMs, ...known));
}

async function check(deps: Restoring) {
  const lost = await findLost(deps, deps.since);
  // A refund that only Temporal knows cannot be restored, because Temporal holds no data of it.
  const refunds = [...lost.refunds.values()].filter(({ listed }) => listed !== null).length;
  if (lost.payments.size + refunds > 0) {
    const detail = `missing:${lost.payments.size}:payments:${refunds}:refunds`;
    await holdWrites(deps.database, { lostSince: deps.since, detail });
  }
  const lists = {
    rowsOlderThan: [...lost.older.keys()],
    missingPayments: [...lost.payments.keys()],
    missingRefunds: [...lost.refunds.keys()],
    orphanCharges: [...lost.orphanCharges],
    openWithoutWorkflow: lost.openWithoutWorkflow,
  };
  if (Object.values(lists).some(({ length }) => length > 0)) process.exitCode = faultsFound;
  if (lost.problems.length > 0) process.exitCode = incomplete;
  const named = Object.entries(lists).map(([name, ids]) => [name, ids.slice(0, maxNamed)] as const);
  return {
    ...(Object.fromEntries(named) as typeof lists),
    since: deps.since.toISOString(),
    ...(lost.problems.length > 0 ? { problems: lost.problems } : {}),
    ...(Object.values(lists).some(({ length }) => length > maxNamed) ? { truncated: true } : {}),
  };
}

async function finish(deps: Restoring, { wait }: RestoreFlags): Promise<FinishedRestore> {
  const finished = await finishRestore(deps, {
    since: deps.since,
    waitMs: wait * 1_000,
    by: byOperator(deps.now),
  });
  if (finished.lost.length > 0) process.exitCode = faultsFound;
  if (!finished.ended) process.exitCode = incomplete;
  return finished;
}

/** Returns what the rows lost with the previous primary, and what to do; `--finish` does it. */
async function failover(deps: Restoring, flags: RestoreFlags): Promise<object> {
  const { database, since } = deps;
  const { isStandby, commitsWait, recordedAt } = await readPromotion(database);
  if (isStandby) throw new OperatorError(problems.notPromoted);
  const timeline = await readTimeline(database);
  const rowsMayHaveGoneBack = mayHaveLostCommits(timeline, recordedAt, since);
  const { before: recorded, now } = timeline;
  const known = { rowsMayHaveGoneBack, timeline: { now, recorded } };
  if (commitsWait) {
    process.exitCode = faultsFound;
    return { ...known, steps: [freeCommits] };
  }
  const found = await check(deps);
  const steps = failoverSteps({ ...found, isUnseen: timeline.isNew });
  if (steps.length > 0) process.exitCode ||= faultsFound;
  if (!flags.finish) return { ...known, ...found, steps };
  process.exitCode = 0;
  const { since: _since, ...finished } = await finish(deps, flags);
  return { ...known, ...found, finished };
}
