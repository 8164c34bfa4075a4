import { mailedDisputeEvents } from '../../domain/mail.ts';
import { may, type Permission, roles } from '../../domain/members.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import type { Tenant } from '../payments/payments.ts';

/** Merchants whose logs are read at a time, and the most events read of each. */
const merchantsAtOnce = 100;
const eventsAtOnce = 500;
/** How often a merchant's log is read. */
const everySql = "interval '3 seconds'";
/** How long an endpoint must fail before members are notified. It is disabled only after days. */
const failingSql = "interval '1 hour'";

const rolesWith = (permission: Permission): string[] => roles.filter((role) => may(role, permission));

interface ReadLog extends Tenant {
  position: number;
}

export const collectionsAreDue = anyRow(
  `mail_settings WHERE looked_at <= now() - ${everySql} ORDER BY looked_at`,
);

/**
 * Writes the mails for events since the last read of each log. Only merchants with a mail server are read,
 * each once every few seconds, longest unread first. Returns whether there is more to read.
 */
export async function collectMails(database: Database): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows: due } = await transaction.query<ReadLog>(
      `SELECT merchant_id AS "merchantId", environment, event_position AS position FROM mail_settings
       WHERE looked_at <= clock_timestamp() - ${everySql}
       ORDER BY looked_at LIMIT ${merchantsAtOnce} FOR UPDATE SKIP LOCKED`,
    );
    if (due.length === 0) return false;
    const columns = [due.map((one) => one.merchantId), due.map((one) => one.environment)];
    await noticeEndpoints(transaction, columns);
    const more = await readEvents(transaction, [...columns, due.map((one) => one.position)]);
    return more || due.length === merchantsAtOnce;
  });
}

/**
 * Writes the mails for new events. A payment gets one receipt, even if it becomes `paid` again after a
 * dispute.
 */
async function readEvents(transaction: Queryable, due: unknown[][]): Promise<boolean> {
  const { rows } = await transaction.query<{ full: boolean }>(
    `WITH due AS (SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS d (merchant_id, environment, position)),
     news AS (
       SELECT e.* FROM due d CROSS JOIN LATERAL (
         SELECT id, merchant_id, environment, type, payment_id, position FROM events
         WHERE merchant_id = d.merchant_id AND environment = d.environment AND position > d.position
         ORDER BY position LIMIT ${eventsAtOnce}) e),
     receipts AS (
       INSERT INTO mails (id, merchant_id, environment, kind, cause, payment_id)
       SELECT gen_random_uuid(), n.merchant_id, n.environment, 'receipt', n.payment_id::text, n.payment_id
       FROM news n JOIN payments p ON p.id = n.payment_id
       WHERE n.type = 'payment.paid' AND p.customer_email IS NOT NULL
       ON CONFLICT DO NOTHING),
     notices AS (
       INSERT INTO mails (id, merchant_id, environment, kind, cause, payment_id, event_id, recipient)
       SELECT gen_random_uuid(), n.merchant_id, n.environment, 'dispute', n.id || ' ' || m.member_id, n.payment_id,
         n.id, m.email
       FROM news n CROSS JOIN LATERAL members_to_mail(n.merchant_id, $4) m
       WHERE n.type = ANY ($5)
       ON CONFLICT DO NOTHING),
     read AS (SELECT merchant_id, environment, max(position) AS position, count(*) AS events FROM news GROUP BY 1, 2)
     UPDATE mail_settings s SET event_position = coalesce(r.position, s.event_position),
       looked_at = CASE WHEN r.events = ${eventsAtOnce} THEN s.looked_at ELSE clock_timestamp() END
     FROM due d LEFT JOIN read r ON r.merchant_id = d.merchant_id AND r.environment = d.environment
     WHERE s.merchant_id = d.merchant_id AND s.environment = d.environment
     RETURNING coalesce(r.events = ${eventsAtOnce}, false) AS full`,
    [...due, rolesWith('dispute'), mailedDisputeEvents],
  );
  return rows.some(({ full }) => full);
}

/**
 * Writes at most two notices for an endpoint: one when it keeps failing, and one when it was disabled for
 * that.
 */
async function noticeEndpoints(transaction: Queryable, due: unknown[][]): Promise<void> {
  await transaction.query(
    `INSERT INTO mails (id, merchant_id, environment, kind, cause, endpoint_id, recipient)
     SELECT gen_random_uuid(), w.merchant_id, w.environment, 'endpoint',
       concat_ws(' ', w.id, w.status, floor(extract(epoch FROM w.failing_since) * 1000)::bigint, m.member_id),
       w.id, m.email
     FROM unnest($1::uuid[], $2::text[]) AS d (merchant_id, environment)
     JOIN mail_settings s ON s.merchant_id = d.merchant_id AND s.environment = d.environment
     JOIN webhook_endpoints w ON w.merchant_id = d.merchant_id AND w.environment = d.environment
       AND w.deleted_at IS NULL
     CROSS JOIN LATERAL members_to_mail(w.merchant_id, $3) m
     WHERE w.failing_since >= greatest(s.set_at, clock_timestamp() - interval '30 days')
       AND (w.status = 'enabled' AND w.failing_since <= clock_timestamp() - ${failingSql}
         OR w.status = 'disabled' AND w.disabled_reason IN ('failing', 'gone'))
     ON CONFLICT DO NOTHING`,
    [...due, rolesWith('webhooks')],
  );
}
