import { giveUpHours, type MailKind, type MailProblem } from '../../domain/mail.ts';
import type { Queryable } from '../server/database.ts';
import { type DueCondition, anyRow } from '../server/due-work.ts';
import type { Tenant } from '../payments/payments.ts';

/**
 * How long a process may take for one mail. Longer than all deadlines of a mail together, so that no process
 * sends a mail that another is still sending.
 */
const leaseSql = "interval '60 seconds'";

/** A mail that this process sends. */
export interface LeasedMail extends Tenant {
  id: string;
  kind: MailKind;
  paymentId: string | null;
  eventId: string | null;
  endpointId: string | null;
  recipient: string | null;
  contentSealed: Buffer | null;
  /** The number of tries, including this one. */
  tries: number;
  createdAt: Date;
  leasedUntil: Date;
}

/** Adds a mail with a link to the outbox, in the transaction that creates the link. */
export async function insertLinkMail(
  transaction: Queryable,
  mail: Tenant & {
    id: string;
    kind: 'invitation' | 'signInLink';
    recipient: string;
    contentSealed: Buffer;
  },
): Promise<void> {
  await transaction.query(
    `INSERT INTO mails (id, merchant_id, environment, kind, cause, recipient, content_sealed)
     VALUES ($1::uuid, $2, $3, $4, $1::uuid::text, $5, $6)`,
    [mail.id, mail.merchantId, mail.environment, mail.kind, mail.recipient, mail.contentSealed],
  );
}

const isDueSql = `status = 'waiting' AND due_at <= clock_timestamp()
  AND (leased_until IS NULL OR leased_until <= clock_timestamp())`;

/** Returns the condition that `dueMailServers` returns a merchant. */
export const mailsAreDue = (failing: boolean): DueCondition =>
  anyRow(
    `mail_settings s WHERE s.next_try_at <= now() AND (s.failures > 0) = ${failing} AND EXISTS (
       SELECT FROM mails m
       WHERE m.merchant_id = s.merchant_id AND m.environment = s.environment AND ${isDueSql})
     ORDER BY s.next_try_at`,
  );

/**
 * Returns the merchants whose mail server has something to send now, longest waiting first. `failing`: those
 * whose last session failed; otherwise the others.
 */
export async function dueMailServers(
  database: Queryable,
  failing: boolean,
  limit: number,
): Promise<Tenant[]> {
  const { rows } = await database.query<Tenant>(
    `SELECT s.merchant_id AS "merchantId", s.environment FROM mail_settings s
     WHERE s.next_try_at <= clock_timestamp() AND (s.failures > 0) = $1 AND EXISTS (
       SELECT FROM mails m
       WHERE m.merchant_id = s.merchant_id AND m.environment = s.environment AND ${isDueSql})
     ORDER BY s.next_try_at LIMIT $2`,
    [failing, limit],
  );
  return rows;
}

/** Sets aside the mails that the merchant's server could not send for a day. Returns their number. */
export async function setAsideOldMails(database: Queryable, tenant: Tenant): Promise<number> {
  const { rowCount } = await database.query(
    `UPDATE mails SET status = 'aside', problem = 'tooOld', leased_until = NULL, recipient = NULL,
       content_sealed = NULL, ended_at = clock_timestamp()
     WHERE merchant_id = $1 AND environment = $2 AND status = 'waiting'
       AND created_at < clock_timestamp() - make_interval(hours => ${giveUpHours})
       AND (leased_until IS NULL OR leased_until <= clock_timestamp())`,
    [tenant.merchantId, tenant.environment],
  );
  return rowCount ?? 0;
}

/** Takes the lease of the merchant's mail that has been due longest, and returns it; null if none is due. */
export async function leaseMail(database: Queryable, tenant: Tenant): Promise<LeasedMail | null> {
  const { rows } = await database.query<LeasedMail>(
    `UPDATE mails SET leased_until = date_trunc('milliseconds', clock_timestamp() + ${leaseSql}), tries = tries + 1
     WHERE id = (
       SELECT id FROM mails WHERE merchant_id = $1 AND environment = $2 AND ${isDueSql}
       ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, merchant_id AS "merchantId", environment, kind, payment_id AS "paymentId", event_id AS "eventId",
       endpoint_id AS "endpointId", recipient, content_sealed AS "contentSealed", tries, created_at AS "createdAt",
       leased_until AS "leasedUntil"`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

const holdsLeaseSql = `id = $1 AND leased_until = $2 AND status = 'waiting'`;

/** Records that the mail server accepted the mail. */
export async function recordMailSent(database: Queryable, mail: LeasedMail): Promise<void> {
  await database.query(
    `UPDATE mails SET status = 'sent', problem = NULL, reply_code = NULL, leased_until = NULL, recipient = NULL,
       content_sealed = NULL, ended_at = clock_timestamp()
     WHERE id = $1 AND status = 'waiting'`,
    [mail.id],
  );
}

/** The reason why a mail was not sent. */
export interface MailFault {
  problem: MailProblem;
  replyCode: number | null;
}

/** Postpones a mail that the server refused, or sets it aside (`waitMs` null). */
export async function recordMailRefused(
  database: Queryable,
  mail: LeasedMail,
  { problem, replyCode }: MailFault,
  waitMs: number | null,
): Promise<void> {
  await database.query(
    `UPDATE mails SET leased_until = NULL, problem = $3, reply_code = $4,
       due_at = clock_timestamp() + make_interval(secs => coalesce($5, 0) / 1000.0),
       status = CASE WHEN $5 IS NULL THEN 'aside' ELSE status END,
       recipient = CASE WHEN $5 IS NULL THEN NULL ELSE recipient END,
       content_sealed = CASE WHEN $5 IS NULL THEN NULL ELSE content_sealed END,
       ended_at = CASE WHEN $5 IS NULL THEN clock_timestamp() END
     WHERE ${holdsLeaseSql}`,
    [mail.id, mail.leasedUntil, problem, replyCode, waitMs],
  );
}

/**
 * Releases a mail whose server failed; the try does not count. It is sent after the others, in case the mail
 * itself makes the server fail.
 */
export async function releaseMail(database: Queryable, mail: LeasedMail): Promise<void> {
  await database.query(
    `UPDATE mails SET leased_until = NULL, tries = tries - 1, due_at = clock_timestamp() + interval '20 seconds'
     WHERE ${holdsLeaseSql}`,
    [mail.id, mail.leasedUntil],
  );
}

/**
 * Records a session that worked. `sent`: whether it sent a mail. Returns whether sessions had failed before.
 */
export async function recordServerWorked(
  database: Queryable,
  tenant: Tenant,
  sent: boolean,
): Promise<boolean> {
  const { rows } = await database.query<{ before: number }>(
    `UPDATE mail_settings s SET failures = 0, failing_since = NULL, problem = NULL, reply_code = NULL,
       next_try_at = clock_timestamp(), last_sent_at = CASE WHEN $3 THEN clock_timestamp() ELSE s.last_sent_at END
     FROM (SELECT failures FROM mail_settings WHERE merchant_id = $1 AND environment = $2) o
     WHERE s.merchant_id = $1 AND s.environment = $2 RETURNING o.failures AS before`,
    [tenant.merchantId, tenant.environment, sent],
  );
  return (rows[0]?.before ?? 0) > 0;
}

/**
 * Records a session that failed, and when the next one may begin. `waitMs` returns the wait after so many
 * failed sessions in a row, in ms. Returns their number.
 */
export async function recordServerFailed(
  database: Queryable,
  tenant: Tenant,
  { problem, replyCode }: MailFault,
  waitMs: (failures: number) => number,
): Promise<number> {
  const { rows } = await database.query<{ failures: number }>(
    `SELECT failures FROM mail_settings WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  const failures = (rows[0]?.failures ?? 0) + 1;
  await database.query(
    `UPDATE mail_settings SET failures = $3, failing_since = coalesce(failing_since, clock_timestamp()),
       problem = $4, reply_code = $5, next_try_at = clock_timestamp() + make_interval(secs => $6 / 1000.0)
     WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment, failures, problem, replyCode, waitMs(failures)],
  );
  return failures;
}

/** The outbox of a merchant as the dashboard and the operator command show it. */
export interface MailOutbox {
  waiting: number;
  aside: {
    id: string;
    kind: MailKind;
    problem: MailProblem | null;
    replyCode: number | null;
    endedAt: Date;
    /** The payment whose receipt this is, if it is the latest receipt; null for other mails. */
    receiptOf: string | null;
  }[];
}

/** The maximum number of mails that are counted, and that are listed. */
const maxCounted = 1_000;
const maxListed = 10;

/** Returns the number of waiting mails (at most 1,000) and the latest ones that were set aside. */
export async function readOutbox(database: Queryable, tenant: Tenant): Promise<MailOutbox> {
  const values = [tenant.merchantId, tenant.environment];
  const { rows: counted } = await database.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM (
       SELECT FROM mails WHERE merchant_id = $1 AND environment = $2 AND status = 'waiting' LIMIT ${maxCounted}) w`,
    values,
  );
  const { rows: aside } = await database.query<MailOutbox['aside'][number]>(
    `SELECT id, kind, problem, reply_code AS "replyCode", ended_at AS "endedAt",
       CASE WHEN kind = 'receipt' AND NOT EXISTS (
         SELECT FROM mails n WHERE n.payment_id = m.payment_id AND n.kind = 'receipt' AND n.created_at > m.created_at)
       THEN payment_id END AS "receiptOf"
     FROM mails m
     WHERE merchant_id = $1 AND environment = $2 AND status = 'aside' ORDER BY ended_at DESC LIMIT ${maxListed}`,
    values,
  );
  return { waiting: counted[0]?.waiting ?? 0, aside };
}
