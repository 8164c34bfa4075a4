import type { Keyring } from '../../crypto/keyring.ts';
import {
  neededMigrations,
  readMaxConnections,
  readServerFacts,
  refuseServer,
  refuseUser,
} from '../../db/server/checks.ts';
import { createDatabaseClock } from '../../db/server/database-clock.ts';
import type { Database } from '../../db/server/database.ts';
import { findKeys } from '../../db/server/key-canary.ts';
import { isTransactionPooler } from '../../db/server/pooler.ts';
import { databaseFault } from '../../runtime/database-faults.ts';
import type { Settings } from '../../runtime/settings.ts';
import { type Check, checkOf, reasonOf, runCheck } from './check.ts';

/** The largest acceptable clock difference, in ms; beyond it an alert is raised (ADR 0035). */
const maxOffsetMs = 2_000;
/** Connections that operators need in addition to the pools. */
const spareConnections = 5;

/**
 * Returns the checks of PostgreSQL: that it answers, is fit for payments, has this build's migrations and the
 * roles' privileges, opens with these keys, agrees with this machine's clock, and has connections for all
 * pools.
 */
export async function checkDatabase(
  { database, keyring, settings }: { database: Database; keyring: Keyring; settings: Settings },
  processes: { apis: number; workers: number },
): Promise<Check[]> {
  let facts;
  try {
    facts = await readServerFacts(database);
  } catch (error) {
    return [checkOf('database', unreachable(reasonOf(error)))];
  }
  const production = settings.DEPLOYMENT === 'production';
  const needed = await neededMigrations();
  const missing = needed.filter((name) => !facts.appliedMigrations.includes(name));
  const migrated = checkOf(
    'migrations',
    missing.length === 0
      ? null
      : `the database lacks ${missing.length} migration(s), the first is ${missing[0]}: run the migrate command`,
  );
  const checks = [
    checkOf('database', refuseServer(facts, [], production)),
    await runCheck('pooler', () => pooler(settings), unreachable),
    migrated,
  ];
  if (!migrated.ok) return checks;
  return [
    ...checks,
    checkOf('database role', refuseUser(facts, 'api', false) ?? refuseUser(facts, 'worker', false)),
    await runCheck('encryption keys', () => keys(database, keyring), unreachable),
    await runCheck('clock', () => clock(database), unreachable),
    await runCheck('connections', () => connections(database, settings, processes), unreachable),
  ];
}

const unreachable = (reason: string): string =>
  databaseFault(reason) ??
  `DATABASE_URL: PostgreSQL cannot be used (${reason}): start it, or correct the address`;

async function pooler({ DATABASE_POOLER, DATABASE_URL }: Settings): Promise<string | null> {
  if (DATABASE_POOLER !== 'none' || !(await isTransactionPooler(DATABASE_URL, 'card-payments-admin')))
    return null;
  return 'DATABASE_URL leads to a pooler that lends connections for one transaction each: set DATABASE_POOLER=transaction';
}

async function keys(database: Database, keyring: Keyring): Promise<string | null> {
  const found = await findKeys(database, keyring);
  return found === 'unsealed' ? null : (found?.refusal ?? null);
}

async function clock(database: Database): Promise<string | null> {
  const { at, readAt } = await createDatabaseClock(database).sync();
  const offset = Date.now() - (performance.now() - readAt) - at;
  if (Math.abs(offset) <= maxOffsetMs) return null;
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return `the clock of this machine is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} PostgreSQL's: synchronize both (NTP)`;
}

async function connections(
  database: Database,
  { DATABASE_POOL_SIZE, DATABASE_LIST_POOL_SIZE, DATABASE_POOLER }: Settings,
  { apis, workers }: { apis: number; workers: number },
): Promise<string | null> {
  // A pooler has its own limit, and this service cannot count its connections.
  if (DATABASE_POOLER !== 'none') return null;
  const max = await readMaxConnections(database);
  // Each API needs one more, which listens for changed keys, and each worker one more, which leads the
  // sweeps.
  const perApi = 2 * DATABASE_POOL_SIZE + DATABASE_LIST_POOL_SIZE + 1;
  const wanted = apis * perApi + workers * (DATABASE_POOL_SIZE + 1) + spareConnections;
  if (wanted <= max) return null;
  return (
    `${apis} API and ${workers} worker process(es) may open ${wanted} connections, and PostgreSQL takes ${max}: ` +
    'raise max_connections, or lower DATABASE_POOL_SIZE'
  );
}
