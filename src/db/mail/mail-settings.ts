import type { By } from '../../domain/audit.ts';
import type { MailProblem } from '../../domain/mail.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** A merchant's mail server, without its password. */
export interface MailSettings {
  host: string;
  port: number;
  fromAddress: string;
  setAt: Date;
  /** Failed sessions in a row. */
  failures: number;
  failingSince: Date | null;
  problem: MailProblem | null;
  /** The code with which the server refused; null if it did not answer. */
  replyCode: number | null;
  nextTryAt: Date;
  lastSentAt: Date | null;
}

const columns = `host, port, from_address AS "fromAddress", set_at AS "setAt", failures,
  failing_since AS "failingSince", problem, reply_code AS "replyCode", next_try_at AS "nextTryAt",
  last_sent_at AS "lastSentAt"`;

/** Returns the tenant's mail server; null without one. */
export async function loadMailSettings(database: Queryable, tenant: Tenant): Promise<MailSettings | null> {
  const { rows } = await database.query<MailSettings>(
    `SELECT ${columns} FROM mail_settings WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Returns the sealed URL of the tenant's mail server with its sender; null without one. */
export async function loadMailServer(
  database: Queryable,
  tenant: Tenant,
): Promise<{ urlSealed: Buffer; fromAddress: string } | null> {
  const { rows } = await database.query<{ urlSealed: Buffer; fromAddress: string }>(
    `SELECT url_sealed AS "urlSealed", from_address AS "fromAddress" FROM mail_settings
     WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/**
 * Sets the tenant's mail server. Events before the first one are not mailed. Waiting mails are tried with it
 * at once. Returns null if there is no such merchant.
 */
export async function setMailSettings(
  database: Database,
  wanted: Tenant & { host: string; port: number; fromAddress: string; urlSealed: Buffer },
  by: By,
): Promise<MailSettings | null> {
  return inTransaction(database, async (transaction) => {
    const { merchantId, environment, host, port, fromAddress, urlSealed } = wanted;
    if (!(await lockMerchant(transaction, merchantId))) return null;
    const before = await loadMailSettings(transaction, wanted);
    const { rows } = await transaction.query<MailSettings>(
      `INSERT INTO mail_settings AS s (merchant_id, environment, host, port, from_address, url_sealed, set_at,
         event_position, looked_at, next_try_at)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp(),
         coalesce((SELECT max(position) FROM events WHERE merchant_id = $1 AND environment = $2), 0),
         clock_timestamp(), clock_timestamp())
       ON CONFLICT (merchant_id, environment) DO UPDATE SET host = excluded.host, port = excluded.port,
         from_address = excluded.from_address, url_sealed = excluded.url_sealed, failures = 0,
         failing_since = NULL, problem = NULL, reply_code = NULL, next_try_at = clock_timestamp()
       RETURNING ${columns}`,
      [merchantId, environment, host, port, fromAddress, urlSealed],
    );
    const [after] = rows;
    if (after) await recordMailChange(transaction, by, wanted, { before, after });
    return after ?? null;
  });
}

/**
 * Removes the tenant's mail server and sets its waiting mails aside. Returns false if there is no such
 * merchant.
 */
export async function removeMailSettings(database: Database, tenant: Tenant, by: By): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    if (!(await lockMerchant(transaction, tenant.merchantId))) return false;
    const { rows } = await transaction.query<MailSettings>(
      `DELETE FROM mail_settings WHERE merchant_id = $1 AND environment = $2 RETURNING ${columns}`,
      [tenant.merchantId, tenant.environment],
    );
    const [before] = rows;
    if (!before) return true;
    await transaction.query(
      `UPDATE mails SET status = 'aside', problem = 'removed', reply_code = NULL, leased_until = NULL,
         recipient = NULL, content_sealed = NULL, ended_at = clock_timestamp()
       WHERE merchant_id = $1 AND environment = $2 AND status = 'waiting'`,
      [tenant.merchantId, tenant.environment],
    );
    await recordMailChange(transaction, by, tenant, { before, after: null });
    return true;
  });
}

/** Serializes the changes of a merchant's mail servers. Returns false if there is no such merchant. */
async function lockMerchant(transaction: Queryable, merchantId: string): Promise<boolean> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `mail_settings ${merchantId}`,
  ]);
  const { rowCount } = await transaction.query('SELECT FROM merchants WHERE id = $1', [merchantId]);
  return rowCount === 1;
}

/** Writes a change to the audit log, without the login. */
async function recordMailChange(
  transaction: Queryable,
  by: By,
  tenant: Tenant,
  { before, after }: { before: MailSettings | null; after: MailSettings | null },
): Promise<void> {
  const summaryOf = (one: MailSettings | null) =>
    one && { server: `${one.host}:${one.port}`, from: one.fromAddress };
  await recordChange(transaction, {
    ...by,
    merchantId: tenant.merchantId,
    environment: tenant.environment,
    action: after === null ? 'mail.removed' : 'mail.set',
    subject: { type: 'mail', id: tenant.environment },
    before: summaryOf(before),
    after: summaryOf(after),
  });
}

/**
 * Returns the environment in which the merchant has a mail server, live before sandbox; null if it has none.
 */
export async function mailEnvironmentOf(
  database: Queryable,
  merchantId: string,
): Promise<Tenant['environment'] | null> {
  const { rows } = await database.query<{ environment: Tenant['environment'] }>(
    `SELECT environment FROM mail_settings WHERE merchant_id = $1 ORDER BY environment = 'live' DESC LIMIT 1`,
    [merchantId],
  );
  return rows[0]?.environment ?? null;
}

/** Returns whether any merchant has a mail server. */
export async function isMailUsed(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ used: boolean }>(
    'SELECT EXISTS (SELECT FROM mail_settings) AS used',
  );
  return rows[0]?.used === true;
}
