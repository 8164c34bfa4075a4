import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openConnectors } from '../../src/connectors/open.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { openDatabase } from '../../src/db/server/database.ts';
import { failoverSteps } from '../../src/operations/restore/failover-steps.ts';
import { type Lost, findLost } from '../../src/operations/restore/find-lost.ts';
import { finishRestore } from '../../src/operations/restore/finish-restore.ts';
import type { WriteDeps } from '../../src/operations/restore/restore-payment.ts';
import { simulatorsOf } from '../../src/runtime/simulators.ts';
import { createKnownRuns } from '../../src/temporal/clients/known-runs.ts';
import { createTemporalClient } from '../../src/temporal/connection.ts';
import type { Made } from '../chaos/made.ts';
import { tablesOf } from '../chaos/put-back.ts';
import { withDatabase } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { byOperator } from '../support/harness/by-operator.ts';
import { Random } from '../support/harness/random.ts';
import { type Scheduler, newProcess, runIn } from './scheduler.ts';
import { databaseUrl } from './simulated-postgres.ts';
import type { World } from './world.ts';

/** The name among the kinds of faults, and the share of seeds that end with it. */
const lostFault = 'rows of payments lost';
const share = 0.5;
/** The most payments that a seed loses, and how long writing them back may take, in ms. */
const maxLost = 6;
const restoreMs = 180_000;
/** How often the restore is tried while faults happen. */
const troubledTries = [1, 5] as const;

/** A payment as its rows show it before they are lost and after they are written back. */
interface Facts {
  id: string;
  status: string;
  amountCents: number;
  refundedCents: number;
  isFinal: boolean;
}

interface LostRows {
  world: World;
  scheduler: Scheduler;
  /** Payments that were created earlier are left alone. */
  since: Date;
  made: Pick<Made, 'capturedLate'>;
}

/**
 * Plays a backup without some payments, after everything else of a seed is final: their rows are deleted, and
 * an operator finds them and writes them back, as `admin restore` does. Checks I2 and I3: each payment is
 * there again with its amount, its money and its refunds.
 */
export async function loseRows(
  seed: number,
  { world, scheduler, since, made }: LostRows,
): Promise<Violation[]> {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x7f4a7c15);
  if (!random.chance(share) || !scheduler.allows(lostFault)) return [];
  const all = await withDatabase(databaseUrl, (database) => restorablePayments(database, since));
  // Money that the network took after a decline is no payment of these rows, but one of written back rows.
  const hasLateCapture = (id: string): boolean => [...made.capturedLate].some((key) => key.startsWith(id));
  const candidates = all.filter(({ id }) => !hasLateCapture(id));
  const before = candidates.filter(() => random.chance(0.3)).slice(0, maxLost);
  if (before.length === 0) return [];
  await withDatabase(databaseUrl, (database) => deletePayments(database, before));
  for (const { id } of before) {
    scheduler.met(lostFault);
    scheduler.note(`lost ${id}`);
  }
  return runIn(newProcess('operator'), () => restore({ world, scheduler, since }, before));
}

/** Returns the final payments without disputes, whose changes the network lists only once. */
async function restorablePayments(database: pg.Client, since: Date): Promise<Facts[]> {
  const { rows } = await database.query<Facts>(
    `SELECT ${factColumns} FROM payments p WHERE created_at >= $1 AND finalized_at IS NOT NULL
       AND status IN ('paid', 'partiallyRefunded', 'refunded', 'failed', 'pending')
       AND NOT EXISTS (SELECT FROM disputes d WHERE d.payment_id = p.id)
     ORDER BY md5(reference || id::text)`,
    [since],
  );
  return rows;
}

const factColumns = `id, status, amount_cents::int AS "amountCents", refunded_cents::int AS "refundedCents",
  finalized_at IS NOT NULL AS "isFinal"`;

/** Deletes all rows of payments in one transaction, without triggers and checks of references. */
async function deletePayments(database: pg.Client, payments: readonly Facts[]): Promise<void> {
  const ids = payments.map(({ id }) => id);
  const tables = await tablesOf(database);
  await database.query('BEGIN; SET LOCAL session_replication_role = replica');
  for (const table of tables.filter((name) => name !== 'payments')) {
    await database.query(`DELETE FROM ${table} WHERE payment_id = ANY ($1::uuid[])`, [ids]);
  }
  await database.query('DELETE FROM payments WHERE id = ANY ($1::uuid[])', [ids]);
  await database.query('DELETE FROM idempotency_keys WHERE resource_id = ANY ($1::uuid[])', [ids]);
  for (const table of ['webhook_attempts', 'webhook_deliveries']) {
    await database.query(
      `DELETE FROM ${table} WHERE NOT EXISTS (SELECT FROM events e WHERE e.id = event_id)`,
    );
  }
  await database.query('COMMIT');
}

/** Writes the payments back and checks them. */
async function restore(
  { world, scheduler, since }: Pick<LostRows, 'world' | 'scheduler' | 'since'>,
  before: readonly Facts[],
): Promise<Violation[]> {
  const { deps, close } = openRestore(world);
  world.network.misreports.hasTrueAmounts = true;
  world.network.misreports.endOutage();
  try {
    const found = await findLost(deps, since);
    const unnamed = before.filter(({ id }) => !found.payments.has(id));
    if (unnamed.length > 0 || stepsOf(found, since).length === 0) {
      return unnamed.map(({ id }) => violation('I2', id, 'lost, and not found again'));
    }
    await restoreInTrouble(scheduler, async () => {
      stepsOf(await findLost(deps, since), since);
      await finishRestore(deps, { since, waitMs: 10_000, by: byOperator() });
    });
    const untilMs = Date.now() + restoreMs;
    for (;;) {
      const { ended, failed, lost } = await finishRestore(deps, { since, waitMs: 30_000, by: byOperator() });
      const wrong = await compare(before);
      if (ended && wrong.length === 0) return [];
      if (Date.now() > untilMs) {
        const reasons = [...failed, ...lost].map(({ id, reason }) => `${id} ${reason}`).join(', ');
        return ended ? wrong : [...wrong, violation('I2', null, `the restore did not end: ${reasons}`)];
      }
      await sleep(5_000);
    }
  } finally {
    await close();
  }
}

/** Tries the restore while calls are lost and the network misreports, as after an outage of a whole site. */
async function restoreInTrouble(scheduler: Scheduler, finish: () => Promise<unknown>): Promise<void> {
  for (let tries = scheduler.random.between(...troubledTries); tries > 0; tries -= 1) {
    scheduler.troubled = true;
    await finish().catch((error: unknown) => scheduler.note(`a restore failed: ${String(error)}`));
  }
  scheduler.troubled = false;
}

const violation = (invariant: string, paymentId: string | null, detail: string): Violation => ({
  invariant,
  paymentId,
  detail,
});

/** Returns the operator's steps after what was found. */
const stepsOf = ({ payments, refunds, older, orphanCharges, ...found }: Lost, since: Date): string[] =>
  failoverSteps({
    ...found,
    isUnseen: false,
    since: since.toISOString(),
    rowsOlderThan: [...older.keys()],
    missingPayments: [...payments.keys()],
    missingRefunds: [...refunds.keys()],
    orphanCharges: [...orphanCharges],
  });

/** Opens what `admin restore` opens. */
function openRestore({ settings, dataConverter }: World): { deps: WriteDeps; close: () => Promise<void> } {
  const keyring = createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS);
  const now = (): number => Date.now();
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    pooler: settings.DATABASE_POOLER,
    applicationName: 'simulated-operator',
    signWith: keyring,
  });
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = settings;
  const client = createTemporalClient({ address, namespace }, dataConverter);
  const providers = openConnectors({
    ...{ database, keyring, now },
    simulators: simulatorsOf(settings),
    simulatorOptions: { networkTimeoutMs: 8_000, unseenKeyHorizonMs: null },
    cardFrame: null,
  });
  return {
    deps: {
      ...{ database, keyring, now },
      connectors: providers.connectors,
      runs: createKnownRuns({ client, queuePrefix: settings.TASK_QUEUE_PREFIX }),
      publicUrl: settings.PUBLIC_URL,
      checkoutDeadlineSeconds: settings.CHECKOUT_DEADLINE_SECONDS,
      idempotencyRetentionSeconds: settings.IDEMPOTENCY_RETENTION_SECONDS,
    },
    close: async () => {
      await Promise.all([client.connection.close(), providers.close()]);
      await database.end();
    },
  };
}

/** Attempts that failed are written back after the deadline, so that a failed payment is shown as expired. */
const moneyOf = (status: string): string => (status === 'failed' || status === 'pending' ? 'none' : status);

/** Compares the payments with what they were before. */
async function compare(before: readonly Facts[]): Promise<Violation[]> {
  const ids = before.map(({ id }) => id);
  const after = await withDatabase(databaseUrl, (database) =>
    database.query<Facts>(`SELECT ${factColumns} FROM payments WHERE id = ANY ($1::uuid[])`, [ids]),
  );
  return before.flatMap((was) => {
    const now = after.rows.find(({ id }) => id === was.id);
    if (now === undefined) return [violation('I2', was.id, 'lost, and not written back')];
    const isSame =
      now.isFinal &&
      moneyOf(now.status) === moneyOf(was.status) &&
      now.amountCents === was.amountCents &&
      now.refundedCents === was.refundedCents;
    const detail = `written back as ${JSON.stringify(now)}, was ${JSON.stringify(was)}`;
    return isSame ? [] : [violation('I3', was.id, detail)];
  });
}
