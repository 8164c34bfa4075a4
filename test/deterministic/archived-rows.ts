import { createKeyring } from '../../src/crypto/keyring.ts';
import {
  countArchived,
  isAnyArchived,
  moveBack,
  moveBackOfTenant,
  readArchive,
} from '../../src/db/payments/archive.ts';
import { lockPayment } from '../../src/db/payments/payment-changes.ts';
import { type Tenant, loadPayment } from '../../src/db/payments/payments.ts';
import { type Database, type Queryable, inTransaction, openDatabase } from '../../src/db/server/database.ts';
import { createArchiveSweep } from '../../src/sweeps/sweep-archive.ts';
import type { Violation } from '../chaos/violation.ts';
import { Random } from '../support/harness/random.ts';
import { archiveAll, endLongAgo } from '../support/harness/old-payments.ts';
import type { Scheduler } from './scheduler.ts';
import type { World } from './world.ts';

/** The name among the kinds of faults, the share of seeds that end with it, and the payments of one seed. */
const archivedFault = 'payments archived';
const share = 0.3;
const maxArchived = 8;
/** Payments that ended longer ago are archived, in months. */
const months = 4;

/** A payment's rows as JSON, by table. */
type Rows = Record<string, string | null>;

interface Archived extends Tenant {
  id: string;
}

/**
 * Plays what happens to payments months later, after everything else of a seed is final: they are archived,
 * and a change, a read or an operator moves each one back. Checks I14: its rows are the same as before.
 */
export async function archivePaymentsOf(
  seed: number,
  { world, scheduler, since }: { world: World; scheduler: Scheduler; since: Date },
): Promise<Violation[]> {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x68bc21eb);
  if (!random.chance(share) || !scheduler.allows(archivedFault)) return [];
  const { settings } = world;
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'simulated-archive',
    signWith: createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS),
  });
  try {
    return await archiveAndMoveBack(database, random, { scheduler, since });
  } finally {
    await database.end();
  }
}

async function archiveAndMoveBack(
  database: Database,
  random: Random,
  { scheduler, since }: { scheduler: Scheduler; since: Date },
): Promise<Violation[]> {
  const chosen = (await endedPayments(database, since))
    .filter(() => random.chance(0.4))
    .slice(0, maxArchived);
  const ids = chosen.map(({ id }) => id);
  if (ids.length === 0) return [];
  await endLongAgo(database, ids);
  const before = await rowsOf(database, ids);
  // The sweep leaves them alone, because their ids are of today.
  const sweep = createArchiveSweep({ database, months, logger: { info: () => undefined } });
  await sweep.run(() => true);
  const moved = await archiveAll(database, 5);
  for (let count = 0; count < moved; count += 1) scheduler.met(archivedFault);
  const violations: Violation[] = [];
  const isEmpty = !(await isAnyArchived(database));
  if (isEmpty !== (moved === 0) || (await countArchived(database)) !== moved) {
    violations.push({ invariant: 'I14', paymentId: null, detail: `${moved} archived, another number is` });
  }
  const inArchive = await readArchive(database, (archive) => rowsOf(archive, ids));
  violations.push(...differences(before, inArchive, 'in the archive'));
  for (const payment of chosen) await moveOneBack(database, payment, random);
  await moveBack(database, ids);
  const after = await rowsOf(database, ids);
  const lost = ids.filter((id) => !after.has(id));
  violations.push(...lost.map((id) => ({ invariant: 'I14', paymentId: id, detail: 'not moved back' })));
  return [...violations, ...differences(before, after, 'moved back')];
}

/** Moves a payment back as a merchant's change, an operator's read or a report of its provider does. */
async function moveOneBack(database: Database, { id, ...tenant }: Archived, random: Random): Promise<void> {
  const how = random.pick(['change', 'read', 'report', 'later'] as const);
  if (how === 'change') await moveBackOfTenant(database, tenant, id);
  else if (how === 'read') await loadPayment(database, id);
  else if (how === 'report') await inTransaction(database, (transaction) => lockPayment(transaction, id));
}

async function endedPayments(database: Queryable, since: Date): Promise<Archived[]> {
  const { rows } = await database.query<Archived>(
    `SELECT id, merchant_id AS "merchantId", environment FROM payments p
     WHERE created_at >= $1 AND finalized_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM refunds r WHERE r.payment_id = p.id AND r.status = 'pending')
       AND NOT EXISTS (SELECT FROM disputes d WHERE d.payment_id = p.id AND d.closed_at IS NULL)
     ORDER BY md5(reference || id::text)`,
    [since],
  );
  return rows;
}

/** Returns the rows of payments, wherever a statement of this transaction finds them. */
async function rowsOf(database: Queryable, ids: readonly string[]): Promise<Map<string, Rows>> {
  const tables = ['attempts', 'refunds', 'disputes', 'payment_versions', 'capture_access'];
  const members = tables.map(
    (table) => `'${table}', (SELECT json_agg(row_to_json(t) ORDER BY t::text)::text FROM ${table} t
      WHERE t.payment_id = p.id)`,
  );
  const { rows } = await database.query<{ id: string; rows: Rows }>(
    `SELECT p.id, json_build_object('payments', row_to_json(p)::text, ${members.join(', ')}) AS rows
     FROM payments p WHERE p.id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.rows]));
}

/** Compares the rows of payments that were found later with those before. Payments not found are left out. */
function differences(before: Map<string, Rows>, now: Map<string, Rows>, where: string): Violation[] {
  return [...now].flatMap(([id, rows]) => {
    const was = before.get(id);
    const changed = Object.keys(rows).filter((table) => rows[table] !== was?.[table]);
    return changed.map((table) => ({ invariant: 'I14', paymentId: id, detail: `${table} differ ${where}` }));
  });
}
