import { type BeforeAfter, type By, difference } from '../../domain/audit.ts';
import type { Environment } from '../../domain/statuses.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** The maximum number of endpoints of one merchant in one environment. */
export const maxEndpoints = 20;
/** An endpoint is disabled when all its tries failed for this many days. docs/webhooks.md. */
const failingDays = 5;

export type DisabledReason = 'merchant' | 'operator' | 'gone' | 'failing';

/** A merchant's endpoint, without its secret. */
export interface WebhookEndpoint {
  id: string;
  merchantId: string;
  environment: Environment;
  url: string;
  description: string | null;
  /** Types or groups; null for all. */
  events: string[] | null;
  status: 'enabled' | 'disabled';
  disabledReason: DisabledReason | null;
  previousSecretUntil: Date | null;
  failingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const endpointColumns = `id, merchant_id AS "merchantId", environment, url, description, events, status,
  disabled_reason AS "disabledReason", previous_secret_until AS "previousSecretUntil",
  failing_since AS "failingSince", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Adds an endpoint; null when the merchant does not exist, `full` when it has the maximum number. */
export async function insertEndpoint(
  database: Database,
  endpoint: Tenant & {
    id: string;
    url: string;
    description: string | null;
    events: string[] | null;
    secretSealed: Buffer;
  },
  by: By,
): Promise<WebhookEndpoint | 'full' | null> {
  return inTransaction(database, async (transaction) => {
    // Serializes the creations of a merchant, so that each counts the endpoints that were added before it.
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `webhook_endpoints ${endpoint.merchantId}`,
    ]);
    const merchant = await transaction.query('SELECT FROM merchants WHERE id = $1', [endpoint.merchantId]);
    if (merchant.rowCount !== 1) return null;
    const { rows } = await transaction.query<WebhookEndpoint>(
      `INSERT INTO webhook_endpoints (id, merchant_id, environment, url, description, events, secret_sealed,
         created_at, updated_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $8
       WHERE (SELECT count(*) FROM webhook_endpoints
              WHERE merchant_id = $2 AND environment = $3 AND deleted_at IS NULL) < ${maxEndpoints}
       RETURNING ${endpointColumns}`,
      [
        endpoint.id,
        endpoint.merchantId,
        endpoint.environment,
        endpoint.url,
        endpoint.description,
        endpoint.events,
        endpoint.secretSealed,
        by.at,
      ],
    );
    const [added] = rows;
    if (!added) return 'full';
    const change = { before: null, after: audited(added) };
    await recordEndpointChange(transaction, added, 'webhook.created', change, by);
    return added;
  });
}

/** Returns the part of an endpoint that the audit log stores: what a merchant sets, never the secret. */
const audited = ({ url, description, events, status }: WebhookEndpoint) => ({
  url,
  description,
  events,
  status,
});

/**
 * Writes a change of an endpoint to the audit log. Must be the last statement of the change's transaction.
 */
export const recordEndpointChange = (
  transaction: Queryable,
  endpoint: Pick<WebhookEndpoint, 'id' | 'merchantId' | 'environment'>,
  action: string,
  { before, after }: BeforeAfter,
  by: By,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId: endpoint.merchantId,
    environment: endpoint.environment,
    action,
    subject: { type: 'webhook', id: endpoint.id },
    before,
    after,
  });

/** Returns the tenant's endpoint, or null. */
export async function findEndpoint(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<WebhookEndpoint | null> {
  const { rows } = await database.query<WebhookEndpoint>(
    `SELECT ${endpointColumns} FROM webhook_endpoints
     WHERE id = $1 AND merchant_id = $2 AND environment = $3 AND deleted_at IS NULL`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Returns an endpoint by its id alone. For workers and operators. */
export async function loadEndpoint(database: Queryable, id: string): Promise<WebhookEndpoint | null> {
  const { rows } = await database.query<WebhookEndpoint>(
    `SELECT ${endpointColumns} FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns a tenant's endpoints, newest first. */
export async function listEndpoints(
  database: Queryable,
  tenant: Tenant,
  page: { page: number; perPage: number },
): Promise<{ endpoints: WebhookEndpoint[]; total: number }> {
  const where = 'merchant_id = $1 AND environment = $2 AND deleted_at IS NULL';
  const values = [tenant.merchantId, tenant.environment];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM webhook_endpoints WHERE ${where}`,
    values,
  );
  const { rows } = await database.query<WebhookEndpoint>(
    `SELECT ${endpointColumns} FROM webhook_endpoints WHERE ${where}
     ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4`,
    [...values, page.perPage, (page.page - 1) * page.perPage],
  );
  return { endpoints: rows, total: counted.rows[0]?.total ?? 0 };
}

/** Changes of an endpoint; an absent field stays. */
export interface EndpointChanges {
  url?: string;
  description?: string | null;
  events?: string[] | null;
  status?: 'enabled' | 'disabled';
}

/**
 * Applies changes. Enabling an endpoint resets its earlier failures. Returns null when there is no such
 * endpoint.
 */
export async function updateEndpoint(
  database: Database,
  id: string,
  changes: EndpointChanges & { disabledBy: DisabledReason },
  by: By,
): Promise<WebhookEndpoint | null> {
  return inTransaction(database, async (transaction) => {
    const before = await lockEndpoint(transaction, id);
    const after = before && (await writeEndpoint(transaction, id, { ...changes, at: by.at }));
    if (!before || !after) return null;
    const changed = difference(audited(before), audited(after));
    if (Object.keys(changed.after).length > 0) {
      await recordEndpointChange(transaction, after, 'webhook.changed', changed, by);
    }
    return after;
  });
}

async function lockEndpoint(transaction: Queryable, id: string): Promise<WebhookEndpoint | null> {
  const { rows } = await transaction.query<WebhookEndpoint>(
    `SELECT ${endpointColumns} FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
    [id],
  );
  return rows[0] ?? null;
}

async function writeEndpoint(
  database: Queryable,
  id: string,
  changes: EndpointChanges & { disabledBy: DisabledReason; at: Date },
): Promise<WebhookEndpoint | null> {
  const { rows } = await database.query<WebhookEndpoint>(
    `UPDATE webhook_endpoints SET url = coalesce($2, url),
       description = CASE WHEN $3 THEN $4 ELSE description END,
       events = CASE WHEN $5 THEN $6 ELSE events END,
       status = coalesce($7, status),
       disabled_reason = CASE coalesce($7, status) WHEN 'enabled' THEN NULL ELSE coalesce(disabled_reason, $8) END,
       failing_since = CASE WHEN $7 = 'enabled' THEN NULL ELSE failing_since END,
       updated_at = $9
     WHERE id = $1 AND deleted_at IS NULL RETURNING ${endpointColumns}`,
    [
      id,
      changes.url ?? null,
      changes.description !== undefined,
      changes.description ?? null,
      changes.events !== undefined,
      changes.events ?? null,
      changes.status ?? null,
      changes.disabledBy,
      changes.at,
    ],
  );
  return rows[0] ?? null;
}

/** Deletes an endpoint with its secrets. Operators can read its deliveries until their events are deleted. */
export async function removeEndpoint(database: Database, id: string, by: By): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const known = await lockEndpoint(transaction, id);
    if (!known) return;
    await wipeEndpoint(transaction, id, by.at);
    const change = { before: audited(known), after: null };
    await recordEndpointChange(transaction, known, 'webhook.deleted', change, by);
  });
}

async function wipeEndpoint(database: Queryable, id: string, at: Date): Promise<void> {
  await database.query(
    `UPDATE webhook_endpoints SET deleted_at = $2, updated_at = $2, secret_sealed = '', previous_secret_sealed = NULL,
       previous_secret_until = NULL
     WHERE id = $1 AND deleted_at IS NULL`,
    [id, at],
  );
}

/**
 * Updates an endpoint's health after a try. A success resets earlier failures. A 410 response disables the
 * endpoint, and so does a failure when every try of the last five days failed. Returns whether this try
 * disabled it.
 */
export async function recordEndpointHealth(
  database: Queryable,
  id: string,
  outcome: 'success' | 'failure' | 'gone',
  at: Date,
): Promise<boolean> {
  if (outcome === 'success') {
    await database.query(
      'UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
      [id],
    );
    return false;
  }
  // Writes only when something changes, so that deliveries to one endpoint do not queue for its row.
  const { rows } = await database.query<{ status: string }>(
    `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, $3::timestamptz),
       status = CASE WHEN $2 OR failing_since <= $3::timestamptz - make_interval(days => $4) THEN 'disabled' ELSE status END,
       disabled_reason = CASE WHEN $2 THEN 'gone'
         WHEN failing_since <= $3::timestamptz - make_interval(days => $4) THEN 'failing' ELSE disabled_reason END,
       updated_at = $3
     WHERE id = $1 AND status = 'enabled'
       AND ($2 OR failing_since IS NULL OR failing_since <= $3::timestamptz - make_interval(days => $4))
     RETURNING status`,
    [id, outcome === 'gone', at, failingDays],
  );
  return rows[0]?.status === 'disabled';
}
