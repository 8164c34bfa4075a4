import { type Command, InvalidArgumentError } from 'commander';
import { countArchived } from '../../db/payments/archive.ts';
import type { Database } from '../../db/server/database.ts';
import {
  allPartitioned,
  databaseTime,
  maintainPartitions,
  partitionsAhead,
} from '../../db/server/partitions.ts';
import { readStorage } from '../../db/server/storage.ts';
import { problems } from '../problems.ts';
import { operate, type Operator, type PrintFlags, withCommonFlags, WrongFlagError } from './operator.ts';

/** Exit code of an answer that shows a fault: fewer than two of a table's next periods have a partition. */
const faultsFound = 3;
const minAhead = 2;
/** How far `--at` may be from now, so that a mistyped year does not drop all partitions. */
const maxDaysAway = 400;

interface MaintainFlags extends PrintFlags {
  dataDir: string;
  at?: Date;
  dryRun?: true;
}

/** `storage …`: the size of the tables, and their partitions. docs/scaling.md, "Disk". */
export function storageCommands(program: Command): void {
  const storage = program.command('storage').description('Sizes of the tables, and their partitions');
  withCommonFlags(storage.command('show')).action((flags: PrintFlags & { dataDir: string }) =>
    operate(flags, ({ database }) => show(database)),
  );
  withCommonFlags(
    storage
      .command('maintain')
      .option('--at <instant>', 'do what is due at this instant (UTC); default: now', atFlag)
      .option('--dry-run', 'print what would be created and dropped, and change nothing'),
  ).action((flags: MaintainFlags) => operate(flags, (operator) => maintain(operator, flags)));
}

const atFlag = (text: string): Date => {
  const isKnown = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text);
  const instant = new Date(isKnown ? text : Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new InvalidArgumentError(problems.instant('--at'));
  return instant;
};

async function show(database: Database) {
  const tables = await readStorage(database);
  const archived = await countArchived(database);
  const payments = (tables.find(({ name }) => name === 'payments')?.rows ?? 0) + archived;
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const covered = await partitionsAhead(database, await databaseTime(database));
  if (covered.some(({ ahead }) => ahead < minAhead)) process.exitCode = faultsFound;
  return {
    tables: tables.map((table) => ({ ...table, oldest: table.oldest?.toISOString() ?? null })),
    // All tables divided by all payments, so it means little below some thousand payments.
    bytesPerPayment: payments === 0 ? null : Math.round(bytes / payments),
    archived,
  };
}

async function maintain({ database, settings }: Operator, flags: MaintainFlags) {
  const now = await databaseTime(database);
  const at = flags.at ?? now;
  if (Math.abs(at.getTime() - now.getTime()) > maxDaysAway * 86_400_000) {
    throw new WrongFlagError(problems.atFarAway(maxDaysAway));
  }
  const retention = {
    eventsDays: settings.RETENTION_EVENTS_DAYS,
    requestsDays: settings.RETENTION_REQUESTS_DAYS,
  };
  return maintainPartitions(database, allPartitioned, { at, retention, dryRun: flags.dryRun === true });
}
