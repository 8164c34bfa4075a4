import type { CardTestingDimension } from '../../domain/card-testing.ts';
import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';

/** A mark: payments were refused because too many cards were declined. */
export interface CardTestingMark {
  dimension: CardTestingDimension;
  /** The first key of a key line, a BIN, or a keyed hash in hex; empty for the merchant as a whole. */
  subject: string;
  since: Date;
  lastRefusedAt: Date;
  refused: number;
}

const columns = `dimension, subject, since, last_refused_at AS "lastRefusedAt", refused`;

/** The maximum length of a list. */
const shownMarks = 100;

/** Counts a refusal in its mark. Returns the mark, and whether it is new or had been cleared. */
export async function markRefusal(
  database: Queryable,
  { merchantId, environment }: Tenant,
  { dimension, subject }: Pick<CardTestingMark, 'dimension' | 'subject'>,
): Promise<{ since: Date; isNew: boolean }> {
  const { rows } = await database.query<{ since: Date; isNew: boolean }>(
    `INSERT INTO card_testing_marks AS m (merchant_id, environment, dimension, subject, since, last_refused_at)
     VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
     ON CONFLICT (merchant_id, environment, dimension, subject) DO UPDATE SET
       since = CASE WHEN m.cleared_at IS NULL THEN m.since ELSE excluded.since END,
       refused = CASE WHEN m.cleared_at IS NULL THEN m.refused + 1 ELSE 1 END,
       last_refused_at = excluded.last_refused_at, cleared_at = NULL
     RETURNING since, refused = 1 AS "isNew"`,
    [merchantId, environment, dimension, subject],
  );
  return rows[0] ?? { since: new Date(0), isNew: false };
}

/** Returns a tenant's open marks, the newest first, at most 100. */
export async function listMarks(
  database: Queryable,
  { merchantId, environment }: Tenant,
): Promise<CardTestingMark[]> {
  const { rows } = await database.query<CardTestingMark>(
    `SELECT ${columns} FROM card_testing_marks
     WHERE merchant_id = $1 AND environment = $2 AND cleared_at IS NULL
     ORDER BY last_refused_at DESC, dimension, subject LIMIT $3`,
    [merchantId, environment, shownMarks],
  );
  return rows;
}

/**
 * Clears a tenant's marks and deletes its counted declines, so that payments are accepted again. Returns the
 * number of open marks.
 */
export async function clearMarks(
  transaction: Queryable,
  { merchantId, environment }: Tenant,
): Promise<number> {
  await transaction.query('DELETE FROM card_results WHERE merchant_id = $1 AND environment = $2', [
    merchantId,
    environment,
  ]);
  const { rowCount } = await transaction.query(
    `UPDATE card_testing_marks SET cleared_at = clock_timestamp()
     WHERE merchant_id = $1 AND environment = $2 AND cleared_at IS NULL`,
    [merchantId, environment],
  );
  return rowCount ?? 0;
}
