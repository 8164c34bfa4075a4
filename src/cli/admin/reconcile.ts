import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { uuidv7 } from 'uuidv7';
import { isMerchant } from '../../db/merchants/connectors.ts';
import {
  type DifferenceRecord,
  listDifferences,
  settleDifference,
} from '../../db/reconciliation/differences.ts';
import {
  connectorsOf,
  listRuns,
  loadRun,
  type ReconciliationRun,
  requestRun,
} from '../../db/reconciliation/runs.ts';
import type { Database } from '../../db/server/database.ts';
import { differenceRow, differenceColumns, runRow, runColumns } from '../../domain/reconciliation-csv.ts';
import { longestSpanDays, spanProblem } from '../../domain/reconciliation.ts';
import type { Environment } from '../../domain/statuses.ts';
import { csvOfRows } from '../../operations/lists-csv.ts';
import { simulatorsOf } from '../../runtime/simulators.ts';
import { problems } from '../problems.ts';
import {
  operatorActor,
  environmentFlag,
  operate,
  type Operator,
  OperatorError,
  type PrintFlags,
  uuidFlag,
  withCommonFlags,
  WrongFlagError,
} from './operator.ts';

/** Exit codes of a comparison that could not finish, and of one that found differences. */
const incomplete = 1;
const faultsFound = 3;

interface RunFlags extends PrintFlags {
  dataDir: string;
  merchant: string;
  environment: Environment;
  from: Date;
  to: Date;
  wait: number;
}

interface ListFlags extends PrintFlags {
  dataDir: string;
  merchant?: string;
  environment?: Environment;
  limit: number;
  csv?: true;
}

interface ShowFlags extends PrintFlags {
  dataDir: string;
  run: string;
  csv?: true;
}

interface SettleFlags extends PrintFlags {
  dataDir: string;
  run: string;
  difference: number;
  note: string;
}

/** `reconcile …`: compares the provider's lists with the rows. docs/reconciliation.md. */
export function reconcileCommands(program: Command): void {
  const reconcile = program.command('reconcile').description('Comparison of the provider with the database');
  withCommonFlags(
    reconcile
      .command('run')
      .requiredOption('--merchant <id>', 'merchant id', asFlag(uuidFlag('--merchant')))
      .requiredOption('--environment <name>', 'sandbox or live', asFlag(environmentFlag))
      .requiredOption('--from <instant>', 'first day or instant (UTC)', instantFlag('--from'))
      .requiredOption('--to <instant>', 'end, exclusive', instantFlag('--to'))
      .option('--wait <seconds>', 'how long to wait for its end', numberFlag('--wait', 86_400), 900),
  ).action(async (flags: RunFlags) => operate(flags, (operator) => run(operator, flags)));
  withCommonFlags(
    reconcile
      .command('list')
      .option('--merchant <id>', 'only runs of this merchant', asFlag(uuidFlag('--merchant')))
      .option('--environment <name>', 'only runs of this environment', asFlag(environmentFlag))
      .option('--limit <number>', 'maximum number of runs, up to 1,000', numberFlag('--limit', 1_000), 50)
      .option('--csv', 'print CSV'),
  ).action(async (flags: ListFlags) => operate(flags, (operator) => list(operator, flags)));
  withCommonFlags(
    reconcile
      .command('show')
      .requiredOption('--run <id>', 'run id', asFlag(uuidFlag('--run')))
      .option('--csv', 'print its differences as CSV'),
  ).action(async (flags: ShowFlags) => operate(flags, (operator) => show(operator, flags)));
  withCommonFlags(
    reconcile
      .command('settle')
      .requiredOption('--run <id>', 'run id', asFlag(uuidFlag('--run')))
      .requiredOption('--difference <number>', 'its number in the run', numberFlag('--difference', 10_000))
      .requiredOption('--note <text>', 'what was done', noteFlag),
  ).action(async (flags: SettleFlags) => operate(flags, (operator) => settle(operator, flags)));
}

/** Makes an error of a flag's parser end the command as a wrong flag does. */
const asFlag =
  <T>(read: (text: string) => T) =>
  (text: string): T => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof OperatorError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };

const instantFlag =
  (name: string) =>
  (text: string): Date => {
    const isKnown = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text);
    const instant = new Date(isKnown ? text : Number.NaN);
    if (Number.isNaN(instant.getTime())) throw new InvalidArgumentError(problems.instant(name));
    return instant;
  };

const numberFlag =
  (name: string, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^[1-9]\d*$/.test(text) || number > max) {
      throw new InvalidArgumentError(problems.wholeNumber(name, max));
    }
    return number;
  };

const noteFlag = (text: string): string => {
  if (text.trim() === '' || text.length > 1_000) throw new InvalidArgumentError(problems.reconcileNote);
  return text;
};

/** Requests a run, waits for its end and returns its answer. */
async function run({ database, settings }: Operator, flags: RunFlags) {
  const problem = spanProblem(flags.from, flags.to);
  if (problem === 'order') throw new WrongFlagError(problems.spanOrder);
  if (problem === 'length') throw new WrongFlagError(problems.spanLength(longestSpanDays));
  const tenant = { merchantId: flags.merchant, environment: flags.environment };
  const isSimulated = simulatorsOf(settings)[flags.environment] !== null;
  if (!(await isMerchant(database, flags.merchant))) {
    throw new OperatorError(problems.noMerchant(flags.merchant));
  }
  if (!isSimulated && (await connectorsOf(database, tenant)).length === 0) {
    throw new OperatorError(problems.noLists(flags.environment));
  }
  const runId = await requestRun(database, uuidv7(), tenant, flags);
  const endsAt = performance.now() + flags.wait * 1_000;
  for (;;) {
    const read = await loadRun(database, runId);
    if (read !== null && read.status !== 'running') {
      const { differences, ...answer } = await answerOf(database, read);
      return {
        ...answer,
        differences: differences.map(({ kind, paymentId, ours, theirs, action }) => ({
          kind,
          paymentId,
          ours,
          theirs,
          action,
        })),
      };
    }
    if (performance.now() > endsAt) throw new OperatorError(problems.runContinues(runId));
    await sleep(500);
  }
}

/** Returns a finished run with all its differences, and sets the exit code. */
async function answerOf(database: Database, read: ReconciliationRun) {
  const differences: DifferenceRecord[] = [];
  for (;;) {
    const page = await listDifferences(database, read.id, differences.at(-1)?.number ?? 0, 1_000);
    differences.push(...page);
    if (page.length < 1_000) break;
  }
  const isComplete = read.status === 'complete';
  if (differences.some(({ settledAt }) => settledAt === null)) process.exitCode = faultsFound;
  if (!isComplete) process.exitCode = incomplete;
  return {
    runId: read.id,
    complete: isComplete,
    ...(read.problem === null ? {} : { problem: read.problem }),
    compared: { charges: read.charges, refunds: read.refunds, disputes: read.disputes },
    totals: read.totals,
    differences,
  };
}

async function list({ database }: Operator, flags: ListFlags) {
  const only = { merchantId: flags.merchant ?? null, environment: flags.environment ?? null };
  const runs = (await listRuns(database, only, flags.limit)).map(runRow);
  if (!flags.csv) return { runs };
  process.stdout.write(csvOfRows(runColumns, runs, true));
  return undefined;
}

async function show({ database }: Operator, flags: ShowFlags) {
  const read = await loadRun(database, flags.run);
  if (read === null) throw new OperatorError(problems.noRun(flags.run));
  const { differences, ...answer } = await answerOf(database, read);
  if (flags.csv) {
    process.stdout.write(csvOfRows(differenceColumns, differences.map(differenceRow), true));
    return undefined;
  }
  const { merchantId, environment, spanFrom, spanTo, status } = read;
  return { merchantId, environment, from: spanFrom, to: spanTo, status, ...answer, differences };
}

async function settle({ database }: Operator, flags: SettleFlags) {
  const actor = operatorActor();
  const by = { by: `${actor.name}@${actor.address}`, note: flags.note };
  if (!(await settleDifference(database, flags.run, flags.difference, by))) {
    throw new OperatorError(problems.noDifference(flags.run, flags.difference));
  }
  return { runId: flags.run, difference: flags.difference, settled: true };
}
