import type { PaymentRecord } from '../../domain/payment.ts';
import type { Environment, PaymentStatus } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import { type IdempotencyClaim, claimStatement, claimValues } from '../server/idempotency-keys.ts';
import { readCountedPage } from '../server/list-counts.ts';
import { moveBack } from './archive.ts';

/**
 * The merchant and environment whose rows a statement may read or change. Every read of the API has one
 * (ENV-02).
 */
export interface Tenant {
  merchantId: string;
  environment: Environment;
}

/** The columns of a `CheckoutPayment`. */
export const checkoutPaymentColumns = `
  id, merchant_id AS "merchantId", environment, checkout_mode AS "checkoutMode", reference,
  amount_cents AS "amountCents", status, method, success_url AS "successUrl", cancel_url AS "cancelUrl",
  offered_methods AS "offeredMethods", embedding_origin AS "embeddingOrigin",
  frame_origins AS "frameOrigins", locale, locale_auto AS "localeAuto", vault_id AS "vaultId",
  expires_at AS "expiresAt",
  capture_expires_at AS "captureExpiresAt", checkout_status AS "checkoutStatus",
  terminal_reason AS "terminalReason", attempts_left AS "attemptsLeft", state_seq AS "stateSeq",
  finalized_at AS "finalizedAt", paid_at AS "paidAt", workflow_started_at AS "workflowStartedAt",
  connector_id AS "connectorId", creation_key_hash AS "creationKeyHash"`;

/** The columns of a `PaymentRecord`. */
export const paymentColumns = `${checkoutPaymentColumns}, created_at AS "createdAt",
  refunded_cents AS "refundedCents", refunded_at AS "refundedAt", customer_email AS "customerEmail",
  customer_name AS "customerName", metadata, description, line_items AS "lineItems",
  fixed_method AS "fixedMethod",
  checkout_url_sealed AS "checkoutUrlSealed", failure_code AS "failureCode",
  failure_message AS "failureMessage", card_bin AS "cardBin", card_issuer AS "cardIssuer",
  card_brand AS "cardBrand", card_last4 AS "cardLast4", restored_at AS "restoredAt"`;

/** Returns the columns, each prefixed with the table's name. */
export const columnsOf = (table: string, columns: string): string =>
  columns
    .split(',')
    .map((column) => `${table}.${column.trim()}`)
    .join(', ');

/** Returns a payment's columns, each prefixed with the table's name. */
export const paymentColumnsOf = (table: string): string => columnsOf(table, paymentColumns);

export type NewPayment = Pick<
  PaymentRecord,
  | 'id'
  | 'merchantId'
  | 'environment'
  | 'checkoutMode'
  | 'reference'
  | 'amountCents'
  | 'customerEmail'
  | 'customerName'
  | 'metadata'
  | 'description'
  | 'lineItems'
  | 'successUrl'
  | 'cancelUrl'
  | 'fixedMethod'
  | 'offeredMethods'
  | 'embeddingOrigin'
  | 'frameOrigins'
  | 'locale'
  | 'localeAuto'
  | 'checkoutUrlSealed'
  | 'vaultId'
  | 'createdAt'
  | 'expiresAt'
  | 'captureExpiresAt'
  | 'connectorId'
> & { checkoutTokenHash: Buffer; customerPrivateSealed: Buffer | null; creationKeyHash: Buffer };

/** The stored values from which the response to a creation is built. */
export type StoredCreation = Pick<
  NewPayment,
  'id' | 'checkoutUrlSealed' | 'createdAt' | 'expiresAt' | 'environment'
>;

/**
 * Returns what an earlier request created under the key, with that request; null while the key is free. It is
 * queried first, so that a replay costs one read: no secret is generated and nothing is sealed for it. A
 * payment that was written back is found by one of the hashes of the key. Of its request only the terms are
 * known, so `bodyHash` is null if they match this request, and empty if they do not.
 */
export async function findCreation(
  database: Queryable,
  { merchantId, operation, key }: IdempotencyClaim,
  { keyHashes, amountCents, reference }: { keyHashes: Buffer[]; amountCents: number; reference: string },
  now: Date,
): Promise<{ bodyHash: Buffer | null; environment: Environment; payment: StoredCreation } | null> {
  const { rows } = await database.query<
    { bodyHash: Buffer | null; keyEnvironment: Environment } & StoredCreation
  >(
    `SELECT k.body_hash AS "bodyHash", k.environment AS "keyEnvironment", p.id, p.environment,
       p.checkout_url_sealed AS "checkoutUrlSealed", p.created_at AS "createdAt", p.expires_at AS "expiresAt"
     FROM idempotency_keys k JOIN payments p ON p.id = k.resource_id
     WHERE k.merchant_id = $1 AND k.operation = $2 AND k.key = $3 AND k.expires_at > $4
     UNION ALL
     SELECT CASE WHEN p.amount_cents <> $6 OR p.reference <> $7 THEN ''::bytea END, p.environment, p.id,
       p.environment, p.checkout_url_sealed, p.created_at, p.expires_at
     FROM restored_creations r JOIN payments p ON p.id = r.payment_id
     WHERE r.merchant_id = $1 AND r.key_hash = ANY ($5) AND r.expires_at > $4
     LIMIT 1`,
    [merchantId, operation, key, now, keyHashes, amountCents, reference],
  );
  const [row] = rows;
  return row ? { bodyHash: row.bodyHash, environment: row.keyEnvironment, payment: row } : null;
}

/**
 * Creates a payment together with its idempotency key, in one statement and one commit, so that neither
 * exists without the other. Returns false when another request has committed the key. Spec: POST
 * /v1/payments; IDEM-07.
 */
export async function insertPayment(
  database: Queryable,
  payment: NewPayment,
  claim: IdempotencyClaim,
  retentionSeconds: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `WITH claim AS (${claimStatement({ finished: true })})
     INSERT INTO payments (id, created_at, merchant_id, environment, checkout_mode, reference, amount_cents,
       currency, customer_email, customer_name, customer_private_sealed, metadata, success_url, cancel_url,
       fixed_method, offered_methods, embedding_origin, frame_origins, locale, checkout_url_sealed,
       checkout_token_hash, vault_id, expires_at, capture_expires_at, connector_id, description, line_items,
       locale_auto, creation_key_hash)
     SELECT resource_id, $7, $1, $4, $10, $11, $12, 'USD', $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
       $23, $24, $25, $26, $27, $28, $29, $30, $31, $32,
       $33 FROM claim`,
    [
      ...claimValues(claim, payment.id, payment.createdAt, retentionSeconds),
      payment.checkoutMode,
      payment.reference,
      payment.amountCents,
      payment.customerEmail,
      payment.customerName,
      payment.customerPrivateSealed,
      JSON.stringify(payment.metadata),
      payment.successUrl,
      payment.cancelUrl,
      payment.fixedMethod,
      payment.offeredMethods,
      payment.embeddingOrigin,
      payment.frameOrigins,
      payment.locale,
      payment.checkoutUrlSealed,
      payment.checkoutTokenHash,
      payment.vaultId,
      payment.expiresAt,
      payment.captureExpiresAt,
      payment.connectorId,
      payment.description,
      payment.lineItems === null ? null : JSON.stringify(payment.lineItems),
      payment.localeAuto,
      payment.creationKeyHash,
    ],
  );
  return rowCount === 1;
}

/**
 * Returns the tenant's payment, or null. The result is the same for an unknown id, another merchant's id and
 * an id of the other environment.
 */
export async function findPayment(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<PaymentRecord | null> {
  const { rows } = await database.query<PaymentRecord>(
    `SELECT ${paymentColumns} FROM payments WHERE id = $1 AND merchant_id = $2 AND environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/**
 * Returns a payment by its id alone; null: there is none. An archived one is moved back first. For workers
 * and callbacks.
 */
export async function loadPayment(database: Queryable, id: string): Promise<PaymentRecord | null> {
  const sql = `SELECT ${paymentColumns} FROM payments WHERE id = $1`;
  const { rows } = await database.query<PaymentRecord>(sql, [id]);
  if (rows[0] !== undefined || (await moveBack(database, [id])) === 0) return rows[0] ?? null;
  return (await database.query<PaymentRecord>(sql, [id])).rows[0] ?? null;
}

/** Returns the merchant's references of these payments by id, for those that belong to the tenant. */
export async function paymentReferences(
  database: Queryable,
  { merchantId, environment }: Tenant,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const { rows } = await database.query<{ id: string; reference: string }>(
    'SELECT id, reference FROM payments WHERE id = ANY ($1::uuid[]) AND merchant_id = $2 AND environment = $3',
    [ids, merchantId, environment],
  );
  return Object.fromEntries(rows.map(({ id, reference }) => [id, reference]));
}

/**
 * Returns the newest payments of a tenant, of one status when it is given, without a count. For the operator.
 */
export async function newestPayments(
  database: Queryable,
  tenant: Tenant,
  status: PaymentStatus | null,
  limit: number,
): Promise<PaymentRecord[]> {
  const ofStatus = status === null ? '' : 'AND status = $4';
  const { rows } = await database.query<PaymentRecord>(
    `SELECT ${paymentColumns} FROM payments WHERE merchant_id = $1 AND environment = $2 ${ofStatus}
     ORDER BY created_at DESC, id DESC LIMIT $3`,
    [tenant.merchantId, tenant.environment, limit, ...(status === null ? [] : [status])],
  );
  return rows;
}

/** The conditions of a list; `from` inclusive, `until` exclusive, both starts of UTC days. */
export interface PaymentFilter {
  status: PaymentStatus | null;
  from: Date | null;
  until: Date | null;
  page: number;
  perPage: number;
}

/**
 * Returns one page, newest first, ties broken by id, with the count of all matches. Spec: GET /v1/payments.
 */
export async function listPayments(
  database: Queryable,
  tenant: Tenant,
  filter: PaymentFilter,
): Promise<{ payments: PaymentRecord[]; total: number }> {
  const { rows, total } = await readCountedPage(database, 'payments', paymentColumns, tenant, filter);
  return { payments: rows as PaymentRecord[], total };
}

/** Stores when the workflows of these payments were started. An instant that is already stored stays. */
export async function markWorkflowsStarted(
  database: Queryable,
  paymentIds: readonly string[],
): Promise<void> {
  await database.query(
    'UPDATE payments SET workflow_started_at = now() WHERE id = ANY ($1) AND workflow_started_at IS NULL',
    [paymentIds],
  );
}
