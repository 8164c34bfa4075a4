import { archivePayments, firstId } from '../../../src/db/payments/archive.ts';
import { type Database, inTransaction } from '../../../src/db/server/database.ts';

const before = `now() - interval '5 months'`;

/**
 * Changes payments, with all their rows, to have ended five months ago; their events are deleted. Needs a
 * superuser, so that no trigger runs.
 */
export async function endLongAgo(database: Database, paymentIds: readonly string[]): Promise<void> {
  await inTransaction(
    database,
    async (transaction) => {
      for (const statement of [
        `UPDATE payments SET finalized_at = ${before}, changed_at = ${before} WHERE id = ANY ($1)`,
        `UPDATE refunds SET created_at = ${before}, succeeded_at = CASE WHEN status = 'succeeded' THEN ${before} END,
           next_check_at = NULL WHERE payment_id = ANY ($1)`,
        `UPDATE disputes SET closed_at = CASE WHEN status IN ('won', 'lost') THEN ${before} END, next_check_at = NULL
         WHERE payment_id = ANY ($1)`,
        `UPDATE capture_access SET status = 'ended', secret_sealed = NULL WHERE payment_id = ANY ($1)`,
        'DELETE FROM captured_cards WHERE payment_id = ANY ($1)',
        'DELETE FROM payment_checks WHERE payment_id = ANY ($1)',
        'DELETE FROM webhook_attempts WHERE event_id IN (SELECT id FROM events WHERE payment_id = ANY ($1))',
        'DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM events WHERE payment_id = ANY ($1))',
        'DELETE FROM events WHERE payment_id = ANY ($1)',
      ]) {
        await transaction.query(statement, [paymentIds]);
      }
    },
    'SET LOCAL session_replication_role = replica',
  );
}

/** Archives all payments that are due, whatever age their ids show. Returns how many it moved. */
export async function archiveAll(database: Database, batch = 100): Promise<number> {
  let moved = 0;
  for (let after: string | null = firstId; after !== null;) {
    const done: { moved: number; next: string | null } = await archivePayments(database, {
      after,
      months: 4,
      batch,
      below: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    });
    moved += done.moved;
    after = done.next;
  }
  return moved;
}
