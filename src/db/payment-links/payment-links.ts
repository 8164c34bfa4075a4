import { type BeforeAfter, type By, difference } from '../../domain/audit.ts';
import type { PaymentLink } from '../../domain/payment-link.ts';
import { withArchived } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';

/** How long a use counts although its payment has no row yet, because its request is about to create it. */
const creationTime = "interval '1 minute'";

/**
 * A payment that is paid or may still be paid counts as a use of the link; one that ended unpaid does not.
 */
const uses = `SELECT count(*)::int FROM payment_link_uses u
  LEFT JOIN ${withArchived('payments', 'id, paid_at, finalized_at')} p ON p.id = u.payment_id
  WHERE u.link_id = l.id AND (p.paid_at IS NOT NULL OR (p.id IS NOT NULL AND p.finalized_at IS NULL)
    OR (p.id IS NULL AND u.created_at > clock_timestamp() - ${creationTime}))`;

/** Returns the columns of a link `l`. `count`: SQL of its uses. */
const columnsWith = (
  count: string,
): string => `l.id, l.merchant_id AS "merchantId", l.environment, l.slug, l.amount_cents::int AS "amountCents",
  l.reference, l.description, l.line_items AS "lineItems", l.methods, l.success_url AS "successUrl",
  l.cancel_url AS "cancelUrl", l.max_payments AS "maxPayments", l.expires_at AS "expiresAt", l.active,
  l.created_at AS "createdAt", l.updated_at AS "updatedAt", (${count}) AS "paymentCount"`;
const columns = columnsWith(uses);

/** Stores a new link, in the transaction that claims the request's idempotency key. */
export async function insertLink(
  transaction: Queryable,
  link: Omit<PaymentLink, 'active' | 'updatedAt' | 'paymentCount'>,
  by: By,
): Promise<void> {
  await transaction.query(
    `INSERT INTO payment_links (id, merchant_id, environment, slug, amount_cents, reference, description,
       line_items, methods, success_url, cancel_url, max_payments, expires_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)`,
    [
      link.id,
      link.merchantId,
      link.environment,
      link.slug,
      link.amountCents,
      link.reference,
      link.description,
      link.lineItems === null ? null : JSON.stringify(link.lineItems),
      link.methods,
      link.successUrl,
      link.cancelUrl,
      link.maxPayments,
      link.expiresAt,
      link.createdAt,
    ],
  );
  const { amountCents, reference, maxPayments, expiresAt } = link;
  const after = { amountCents, reference, maxPayments, expiresAt: expiresAt?.toISOString() ?? null };
  await recordLink(transaction, link, 'paymentLink.created', { before: null, after }, by);
}

const recordLink = (
  transaction: Queryable,
  { id, merchantId, environment }: Pick<PaymentLink, 'id' | 'merchantId' | 'environment'>,
  action: string,
  change: BeforeAfter,
  by: By,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    ...change,
    merchantId,
    environment,
    action,
    subject: { type: 'paymentLink', id },
  });

/** Returns the tenant's link, or null. */
export async function findLink(database: Queryable, tenant: Tenant, id: string): Promise<PaymentLink | null> {
  const { rows } = await database.query<PaymentLink>(
    `SELECT ${columns} FROM payment_links l WHERE l.id = $1 AND l.merchant_id = $2 AND l.environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/**
 * Returns the id of the tenant's link, or null. Needs only the tenant's read rights, which cannot count
 * payments.
 */
export async function findLinkId(database: Queryable, tenant: Tenant, id: string): Promise<string | null> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM payment_links WHERE id = $1 AND merchant_id = $2 AND environment = $3',
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0]?.id ?? null;
}

/** A link with the name of its merchant. */
export interface ShopLink extends PaymentLink {
  merchantName: string;
}

/**
 * Returns the link of an address of an active merchant, or null. For pages: the uses of a link without a
 * limit are not counted, because each visit would read all earlier ones; its `paymentCount` is 0.
 */
export async function findLinkBySlug(database: Queryable, slug: string): Promise<ShopLink | null> {
  const { rows } = await database.query<ShopLink>(
    `SELECT ${columnsWith(`CASE WHEN l.max_payments IS NULL THEN 0 ELSE (${uses}) END`)}, m.name AS "merchantName" FROM payment_links l JOIN merchants m ON m.id = l.merchant_id AND m.status = 'active'
     WHERE l.slug = $1`,
    [slug],
  );
  return rows[0] ?? null;
}

/** A page of links that were created within a span. */
interface LinkList {
  from?: Date | null;
  to?: Date | null;
  page: number;
  perPage: number;
}

/** Returns a tenant's links, newest first. */
export async function listLinks(
  database: Queryable,
  tenant: Tenant,
  { from = null, to = null, page, perPage }: LinkList,
): Promise<{ links: PaymentLink[]; total: number }> {
  const where = `merchant_id = $1 AND environment = $2 AND ($3::timestamptz IS NULL OR created_at >= $3)
    AND ($4::timestamptz IS NULL OR created_at < $4)`;
  const values = [tenant.merchantId, tenant.environment, from, to];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM payment_links WHERE ${where}`,
    values,
  );
  const { rows } = await database.query<PaymentLink>(
    `SELECT ${columns} FROM (
       SELECT * FROM payment_links WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6) l
     ORDER BY l.created_at DESC, l.id DESC`,
    [...values, perPage, (page - 1) * perPage],
  );
  return { links: rows, total: counted.rows[0]?.total ?? 0 };
}

/** Opens or closes the tenant's link. Returns the changed link, or null if there is none. */
export function changeLink(
  database: Database,
  tenant: Tenant,
  id: string,
  { active }: { active: boolean },
  by: By,
): Promise<PaymentLink | null> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ active: boolean }>(
      `SELECT active FROM payment_links WHERE id = $1 AND merchant_id = $2 AND environment = $3 FOR UPDATE`,
      [id, tenant.merchantId, tenant.environment],
    );
    const [before] = rows;
    if (!before) return null;
    if (before.active !== active) {
      await transaction.query('UPDATE payment_links SET active = $2, updated_at = $3 WHERE id = $1', [
        id,
        active,
        by.at,
      ]);
    }
    const changed = await findLink(transaction, tenant, id);
    const { merchantId, environment } = tenant;
    if (before.active !== active)
      await recordLink(
        transaction,
        { id, merchantId, environment },
        'paymentLink.changed',
        difference({ active: before.active }, { active }),
        by,
      );
    return changed;
  });
}

/**
 * Reserves one use of a link for a payment that is created next. Returns false when no use is left.
 * Concurrent customers wait for each other here.
 */
export function reserveUse(
  database: Database,
  { linkId, paymentId }: { linkId: string; paymentId: string },
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    await transaction.query('SELECT FROM payment_links WHERE id = $1 FOR UPDATE', [linkId]);
    const { rowCount } = await transaction.query(
      `INSERT INTO payment_link_uses (payment_id, link_id, created_at)
       SELECT $2, l.id, clock_timestamp() FROM payment_links l
       WHERE l.id = $1 AND (l.max_payments IS NULL OR (${uses}) < l.max_payments)`,
      [linkId, paymentId],
    );
    return rowCount === 1;
  });
}

/** Returns the id of the link that a payment was created with; null for none. */
export async function findLinkOfPayment(database: Queryable, paymentId: string): Promise<string | null> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT link_id AS id FROM payment_link_uses WHERE payment_id = $1',
    [paymentId],
  );
  return rows[0]?.id ?? null;
}

/** Returns whether a payment was created with a link. */
export async function wasCreatedWith(
  database: Queryable,
  { linkId, paymentId }: { linkId: string; paymentId: string },
): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT FROM payment_link_uses WHERE payment_id = $1 AND link_id = $2',
    [paymentId, linkId],
  );
  return rowCount === 1;
}
