import type { Database } from '../../src/db/server/database.ts';

/** The rows of a payment that its attempts change, as PostgreSQL returns them in JSON. */
export interface PaymentRows {
  payment: Record<string, unknown>;
  attempts: Record<string, unknown>[];
  access: Record<string, unknown>[];
}

/** Returns the current rows of a payment. */
export async function keepRows(database: Database, id: string): Promise<PaymentRows> {
  const { rows } = await database.query<PaymentRows>(
    `SELECT (SELECT to_jsonb(p) FROM payments p WHERE id = $1) AS payment,
       coalesce((SELECT jsonb_agg(a) FROM attempts a WHERE payment_id = $1), '[]') AS attempts,
       coalesce((SELECT jsonb_agg(c) FROM capture_access c WHERE payment_id = $1), '[]') AS access`,
    [id],
  );
  const [kept] = rows;
  if (!kept) throw new Error('the payment does not exist');
  return kept;
}

/**
 * Replaces the rows of a payment by earlier ones, in one transaction, without triggers and foreign keys. They
 * are then like those of a standby that was promoted before it received the last commits.
 */
export async function putRowsBack(database: Database, id: string, rows: PaymentRows): Promise<void> {
  const client = await database.connect();
  try {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    for (const table of ['payment_versions', 'payment_checks', 'attempts', 'capture_access'])
      await client.query(`DELETE FROM ${table} WHERE payment_id = $1`, [id]);
    await client.query(
      `DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM events WHERE payment_id = $1)`,
      [id],
    );
    await client.query('DELETE FROM events WHERE payment_id = $1', [id]);
    await client.query('DELETE FROM payments WHERE id = $1', [id]);
    const put = async (table: string, row: Record<string, unknown>): Promise<void> => {
      await client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`, [
        JSON.stringify(row),
      ]);
    };
    await put('payments', rows.payment);
    for (const attempt of rows.attempts) await put('attempts', attempt);
    for (const access of rows.access) await put('capture_access', access);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const nextAttempt = (rows: PaymentRows): Record<string, unknown> => ({
  payment_id: rows.payment['id'],
  attempt_no: rows.attempts.length + 1,
  request_id: crypto.randomUUID(),
  method: 'card',
  started_at: new Date(Date.now() - 60_000).toISOString(),
  check_scheduled: false,
  force_challenge: false,
});

/** Returns the rows of a payment whose next attempt was reserved a minute ago and is not claimed. */
export const withReservation = (rows: PaymentRows): PaymentRows => ({
  payment: { ...rows.payment, checkout_status: 'processing', method: 'card' },
  attempts: [{ ...nextAttempt(rows), status: 'processing' }, ...rows.attempts],
  access: rows.access,
});

/** Returns the rows of a payment whose next attempt was reserved and released. */
export const withReleased = (rows: PaymentRows): PaymentRows => {
  const attempt = nextAttempt(rows);
  const released = { ...attempt, status: 'released', answer: 'not_sent', resolved_at: attempt['started_at'] };
  return { ...rows, attempts: [released, ...rows.attempts] };
};
