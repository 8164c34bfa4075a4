import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Change } from './change-plan.ts';
import { type ChangeContext, pause, untilFound } from './changes.ts';
import type { Made } from './made.ts';
import { withDatabase } from './rows.ts';

/** How often the rows of a payment are read, in ms: often enough to see most of its commits. */
const everyMs = 8;
/** How long to wait for a payment, in ms. */
const findWithinMs = 9_000;

/** Tables with rows for each payment that contain no state of it: calls, search terms and orders. */
const kept = ['api_requests', 'payment_search_terms', 'sandbox_webhook_faults'];

/** The parts of a change's context that are needed here. */
type Context = Pick<ChangeContext, 'since' | 'note' | 'over'> & {
  stack: { databaseUrl: string };
  made: Pick<Made, 'putBack'>;
};

/** The rows of a payment as one statement read them. */
export interface Snapshot {
  /** By table, as JSON. */
  rows: Record<string, string | null>;
  checkoutStatus: string;
  attempts: number;
}

/**
 * Puts the rows of payments back to an earlier commit once they are paid, like a database that lost its last
 * commits. The commits of other payments stay.
 */
export async function putRowsBack(
  { payments, afterMs, back }: Extract<Change, { kind: 'rows-put-back' }>,
  context: Context,
): Promise<void> {
  const one = async (index: number): Promise<void> => {
    const id = await untilFound(() => paymentOf(context, index), findWithinMs, context, 20);
    if (id === null) return;
    const earlier = await untilFound(() => snapshotsUntilPaid(context, id), findWithinMs, context);
    const snapshot = earlier?.[Math.floor(back * earlier.length)];
    if (!earlier || !snapshot) return;
    await pause(afterMs, context);
    const { checkoutStatus, attempts } = snapshot;
    const which = `${earlier.indexOf(snapshot) + 1} of ${earlier.length}`;
    context.note(`rows of ${id} are put back to ${checkoutStatus} with ${attempts} attempts, ${which}`);
    context.made.putBack.set(id, Date.now());
    await untilFound(() => restore(context, id, snapshot), findWithinMs, context);
    // Reads and answers from the rows before this time no longer count.
    context.made.putBack.set(id, Date.now());
  };
  await Promise.all(Array.from({ length: payments }, (_, index) => one(index)));
}

/** The payment of the client with this number. */
function paymentOf({ stack, since }: Context, client: number): Promise<string | undefined> {
  return withDatabase(stack.databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      'SELECT id FROM payments WHERE created_at >= $1 AND reference = $2',
      [since, `order-${client}`],
    );
    return rows[0]?.id;
  });
}

/**
 * Returns the different rows that a payment had from just before its last attempt until it was paid; null
 * when it ended otherwise.
 */
function snapshotsUntilPaid({ stack, over }: Context, id: string): Promise<Snapshot[] | null> {
  return withDatabase(stack.databaseUrl, async (database) => {
    const read = await snapshotReader(database, id);
    const seen: Snapshot[] = [];
    while (!over.aborted) {
      const snapshot = await read();
      if (snapshot.checkoutStatus === 'paid') return fromLastAttempt(seen);
      if (snapshot.checkoutStatus === 'expired') return null;
      if (JSON.stringify(snapshot.rows) !== JSON.stringify(seen.at(-1)?.rows)) seen.push(snapshot);
      await sleep(everyMs);
    }
    return null;
  });
}

function fromLastAttempt(seen: readonly Snapshot[]): Snapshot[] {
  const attempts = seen.at(-1)?.attempts ?? 0;
  const before = seen.findLast((each) => each.attempts < attempts);
  return [...(before ? [before] : []), ...seen.filter((each) => each.attempts === attempts)];
}

/** Returns the function that reads the present rows of a payment. */
export async function snapshotReader(database: pg.Client, id: string): Promise<() => Promise<Snapshot>> {
  const tables = ['payments', ...(await tablesOf(database))];
  const members = tables.map(
    (table) =>
      `'${table}', (SELECT json_agg(row_to_json(t) ORDER BY t::text)::text FROM ${table} t
       WHERE ${table === 'payments' ? 'id' : 'payment_id'} = $1)`,
  );
  const text = `SELECT json_build_object(${members.join(', ')}) AS rows, checkout_status AS "checkoutStatus",
    (SELECT count(*)::int FROM attempts WHERE payment_id = $1) AS attempts FROM payments WHERE id = $1`;
  return async () => {
    const { rows } = await database.query<Snapshot>({ name: 'snapshot', text, values: [id] });
    if (!rows[0]) throw new Error('the payment is gone');
    return rows[0];
  };
}

/** The tables whose rows belong to payments. A reconciliation may name a payment that does not exist here. */
export async function tablesOf(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'payment_id' AND t.table_type = 'BASE TABLE'
       AND c.data_type = 'uuid' AND c.table_name <> ALL ($1)
       -- A partition is reached through its table.
       AND NOT EXISTS (SELECT FROM pg_class p WHERE p.oid = to_regclass(c.table_name) AND p.relispartition)
     ORDER BY 1`,
    [kept],
  );
  return rows.map(({ name }) => name);
}

/** Writes the rows of a snapshot in one transaction, without triggers and checks of references. */
export function restore({ stack }: Pick<Context, 'stack'>, id: string, { rows }: Snapshot): Promise<boolean> {
  return withDatabase(stack.databaseUrl, async (database) => {
    await database.query('BEGIN; SET LOCAL session_replication_role = replica');
    const { rows: columns } = await database.query<{ names: string }>(
      `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = 'payments' AND is_generated = 'NEVER'`,
    );
    const names = columns[0]?.names ?? '';
    await database.query(
      `UPDATE payments SET (${names}) =
         (SELECT ${names} FROM json_populate_recordset(NULL::payments, $2::json)) WHERE id = $1`,
      [id, rows['payments']],
    );
    for (const [table, json] of Object.entries(rows)) {
      if (table === 'payments') continue;
      await database.query(`DELETE FROM ${table} WHERE payment_id = $1`, [id]);
      await database.query(
        `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json)`,
        [json ?? '[]'],
      );
    }
    for (const table of ['webhook_attempts', 'webhook_deliveries']) {
      await database.query(
        `DELETE FROM ${table} WHERE NOT EXISTS (SELECT FROM events e WHERE e.id = event_id)`,
      );
    }
    await database.query('COMMIT');
    return true;
  });
}
