import { archiveSchema } from '../payments/archive.ts';
import { type Database, inTransaction, type Queryable } from './database.ts';

/**
 * A column of sealed values, with its table's primary key and types, and the keyed hash that belongs to it.
 */
interface SealedColumn {
  table: string;
  column: string;
  key: readonly (readonly [name: string, type: 'uuid' | 'text' | 'integer'])[];
  hash?: string;
}

const columns = {
  canary: { table: 'key_canary', column: 'text_sealed', key: [['name', 'text']] },
  chainKey: { table: 'chain_keys', column: 'private_key_sealed', key: [['name', 'text']] },
  checkoutUrl: {
    table: 'payments',
    column: 'checkout_url_sealed',
    key: [['id', 'uuid']],
    hash: 'checkout_token_hash',
  },
  privateCustomer: { table: 'payments', column: 'customer_private_sealed', key: [['id', 'uuid']] },
  archivedCheckoutUrl: {
    table: `${archiveSchema}.payments`,
    column: 'checkout_url_sealed',
    key: [['id', 'uuid']],
    hash: 'checkout_token_hash',
  },
  archivedPrivateCustomer: {
    table: `${archiveSchema}.payments`,
    column: 'customer_private_sealed',
    key: [['id', 'uuid']],
  },
  captureSecret: { table: 'capture_access', column: 'secret_sealed', key: [['payment_id', 'uuid']] },
  cardToken: {
    table: 'attempts',
    column: 'token_sealed',
    key: [
      ['payment_id', 'uuid'],
      ['attempt_no', 'integer'],
    ],
  },
  action: {
    table: 'attempts',
    column: 'action_sealed',
    key: [
      ['payment_id', 'uuid'],
      ['attempt_no', 'integer'],
    ],
  },
  connectorCredentials: { table: 'connectors', column: 'credentials_sealed', key: [['id', 'uuid']] },
  mailServer: {
    table: 'mail_settings',
    column: 'url_sealed',
    key: [
      ['merchant_id', 'uuid'],
      ['environment', 'text'],
    ],
  },
  mailContent: { table: 'mails', column: 'content_sealed', key: [['id', 'uuid']] },
  webhookSecret: { table: 'webhook_endpoints', column: 'secret_sealed', key: [['id', 'uuid']] },
  previousWebhookSecret: {
    table: 'webhook_endpoints',
    column: 'previous_secret_sealed',
    key: [['id', 'uuid']],
  },
  secondFactor: { table: 'members', column: 'totp_sealed', key: [['id', 'uuid']] },
  response: {
    table: 'idempotency_responses',
    column: 'response_sealed',
    key: [
      ['merchant_id', 'uuid'],
      ['operation', 'text'],
      ['key', 'text'],
    ],
  },
} as const satisfies Record<string, SealedColumn>;

export type SealedSubject = keyof typeof columns;
export const sealedSubjects = Object.keys(columns) as SealedSubject[];

/** A sealed value with the primary key of its row, in the order of that key. */
export interface SealedRow {
  key: string[];
  sealed: Buffer;
  hash: Buffer | null;
}

/** The progress of a rewrap. `after`: the primary key of the last row that was examined. */
export interface RewrapProgress {
  after: string[] | null;
  seen: number;
  changed: number;
  finished: boolean;
}

/** Returns the progress of a rewrap with these keys; the beginning if it has not begun. */
export async function loadRewrap(
  database: Queryable,
  target: string,
  subject: SealedSubject,
): Promise<RewrapProgress> {
  const { rows } = await database.query<RewrapProgress>(
    `SELECT after, seen::int, changed::int, finished_at IS NOT NULL AS finished FROM key_rewraps
     WHERE target = $1 AND subject = $2`,
    [target, subject],
  );
  return rows[0] ?? { after: null, seen: 0, changed: 0, finished: false };
}

/** Deletes the progress of a finished rewrap, so that the next one examines every row again. */
export async function forgetFinishedRewrap(database: Queryable, target: string): Promise<void> {
  await database.query(
    `DELETE FROM key_rewraps WHERE target = $1
       AND (SELECT count(*) FROM key_rewraps WHERE target = $1 AND finished_at IS NOT NULL) = $2`,
    [target, sealedSubjects.length],
  );
}

/** Returns the next rows with a sealed value, in the order of their primary keys. */
export async function nextSealedRows(
  database: Queryable,
  subject: SealedSubject,
  after: string[] | null,
  limit: number,
): Promise<SealedRow[]> {
  const { table, column, key, hash }: SealedColumn = columns[subject];
  const names = key.map(([name]) => name);
  const beyond =
    after === null
      ? ''
      : `AND (${names.join(', ')}) > (${key.map(([, type], at) => `$${at + 2}::${type}`).join(', ')})`;
  const { rows } = await database.query<SealedRow>(
    `SELECT ARRAY[${names.map((name) => `${name}::text`).join(', ')}] AS key, ${column} AS sealed,
       ${hash ?? 'NULL::bytea'} AS hash
     FROM ${table} WHERE ${column} IS NOT NULL ${beyond} ORDER BY ${names.join(', ')} LIMIT $1`,
    [limit, ...(after ?? [])],
  );
  return rows;
}

/** The replacement of a sealed value. */
export interface Rewrapped {
  row: SealedRow;
  sealed: Buffer;
  hash: Buffer | null;
}

/**
 * Stores new values and the progress in one commit. A value that changed since it was read is not replaced.
 * Returns the number of replaced values.
 */
export async function saveRewrapped(
  database: Database,
  { target, subject }: { target: string; subject: SealedSubject },
  values: readonly Rewrapped[],
  progress: RewrapProgress,
): Promise<number> {
  const { table, column, key, hash }: SealedColumn = columns[subject];
  return inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      `UPDATE ${table} t SET ${column} = n.sealed ${hash === undefined ? '' : `, ${hash} = n.hash`}
       FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], ${key.map(([, type], at) => `$${at + 4}::${type}[]`).join(', ')})
         AS n(before, sealed, hash, ${key.map((_, at) => `k${at}`).join(', ')})
       WHERE ${key.map(([name], at) => `t.${name} = n.k${at}`).join(' AND ')} AND t.${column} = n.before`,
      [
        values.map(({ row }) => row.sealed),
        values.map(({ sealed }) => sealed),
        values.map((value) => value.hash),
        ...key.map((_, at) => values.map(({ row }) => row.key[at])),
      ],
    );
    const changed = rowCount ?? 0;
    await transaction.query(
      `INSERT INTO key_rewraps AS k (target, subject, after, seen, changed, finished_at)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN $6 THEN now() END)
       ON CONFLICT (target, subject) DO UPDATE SET after = excluded.after, seen = excluded.seen,
         changed = excluded.changed, finished_at = excluded.finished_at`,
      [
        target,
        subject,
        progress.after === null ? null : JSON.stringify(progress.after),
        progress.seen,
        progress.changed + changed,
        progress.finished,
      ],
    );
    return changed;
  });
}

/** Returns how many values are sealed with a key other than this one; reads the whole column. */
export async function countSealedWithOtherKey(
  database: Queryable,
  subject: SealedSubject,
  activeKeyId: string,
): Promise<number> {
  const { table, column } = columns[subject];
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table}
     WHERE ${column} IS NOT NULL AND substring(${column} FROM 3 FOR get_byte(${column}, 1)) <> $1`,
    [Buffer.from(activeKeyId)],
  );
  return rows[0]?.count ?? 0;
}

/** Returns how many API keys that are not revoked have a hash made with a look-up key other than this one. */
export async function countKeysWithOtherHash(database: Queryable, lookupKeyId: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM api_keys WHERE revoked_at IS NULL AND lookup_key_id IS DISTINCT FROM $1',
    [lookupKeyId],
  );
  return rows[0]?.count ?? 0;
}
