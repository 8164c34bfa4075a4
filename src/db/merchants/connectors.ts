import type { By } from '../../domain/audit.ts';
import type { ConnectorKind } from '../../domain/connector.ts';
import type { Environment } from '../../domain/statuses.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** A merchant's access to a real vault and network. The credentials are sealed. */
export interface ConnectorRecord extends Tenant {
  id: string;
  kind: ConnectorKind;
  /** The account's name at the provider. */
  account: string;
  credentialsSealed: Buffer;
  version: number;
  active: boolean;
  checkedAt: Date | null;
  changedAt: Date;
  /** The end of the time in which the previous webhook secret is accepted; null: it is not. */
  webhookOverlapUntil: Date | null;
}

const columns = `id, merchant_id AS "merchantId", environment, kind, account,
  credentials_sealed AS "credentialsSealed", version, active, checked_at AS "checkedAt",
  changed_at AS "changedAt", webhook_overlap_until AS "webhookOverlapUntil"`;

/**
 * Makes this the merchant's active connector of the environment and retires the former one. The same account
 * gets the new credentials; another account becomes another connector, whose id is passed to `seal`. Returns
 * null if there is no such merchant.
 */
export async function setConnector(
  database: Database,
  wanted: Tenant & { newId: string; kind: ConnectorKind; account: string },
  seal: (connectorId: string) => Buffer,
  by: By,
): Promise<ConnectorRecord | null> {
  return inTransaction(database, async (transaction) => {
    const { merchantId, environment, kind, account } = wanted;
    if (!(await lockMerchant(transaction, merchantId))) return null;
    const now = by.at;
    const before = await retire(transaction, wanted, now);
    const { rows: known } = await transaction.query<{ id: string }>(
      'SELECT id FROM connectors WHERE merchant_id = $1 AND environment = $2 AND kind = $3 AND account = $4',
      [merchantId, environment, kind, account],
    );
    const id = known[0]?.id ?? wanted.newId;
    const { rows } = await transaction.query<ConnectorRecord>(
      `INSERT INTO connectors (id, merchant_id, environment, kind, account, credentials_sealed, active, checked_at,
         changed_at)
       VALUES ($1, $2, $3, $4, $5, $6, true, $7, $7)
       ON CONFLICT (id) DO UPDATE SET credentials_sealed = excluded.credentials_sealed, active = true,
         version = connectors.version + 1, checked_at = $7, changed_at = $7,
         webhook_overlap_until = NULL
       RETURNING ${columns}`,
      [id, merchantId, environment, kind, account, seal(id), now],
    );
    const [connector] = rows;
    if (connector) await recordConnectorChange(transaction, by, 'connector.set', before, connector);
    return connector ?? null;
  });
}

/**
 * Retires the connector of the merchant's environment, so that new payments use the simulators. Earlier
 * payments keep their connector. Returns false when there is no such merchant.
 */
export async function clearConnector(database: Database, tenant: Tenant, by: By): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    if (!(await lockMerchant(transaction, tenant.merchantId))) return false;
    const before = await retire(transaction, tenant, by.at);
    if (before) await recordConnectorChange(transaction, by, 'connector.cleared', before, null);
    return true;
  });
}

/** Writes a change to the audit log, without the credentials. */
async function recordConnectorChange(
  transaction: Queryable,
  by: By,
  action: 'connector.set' | 'connector.rotated' | 'connector.cleared',
  before: ConnectorRecord | null,
  after: ConnectorRecord | null,
): Promise<void> {
  const of = after ?? before;
  if (!of) return;
  const summaryOf = (one: ConnectorRecord | null) =>
    one && { kind: one.kind, account: one.account, version: one.version };
  await recordChange(transaction, {
    ...by,
    merchantId: of.merchantId,
    environment: of.environment,
    action,
    subject: { type: 'connector', id: of.id },
    before: summaryOf(before),
    after: summaryOf(after),
  });
}

async function lockMerchant(transaction: Queryable, merchantId: string): Promise<boolean> {
  const { rowCount } = await transaction.query('SELECT FROM merchants WHERE id = $1 FOR UPDATE', [
    merchantId,
  ]);
  return rowCount === 1;
}

/** Retires the active connector and returns it. */
async function retire(
  transaction: Queryable,
  { merchantId, environment }: Tenant,
  now: Date,
): Promise<ConnectorRecord | null> {
  const { rows } = await transaction.query<ConnectorRecord>(
    `UPDATE connectors SET active = false, changed_at = $3
     WHERE merchant_id = $1 AND environment = $2 AND active RETURNING ${columns}`,
    [merchantId, environment, now],
  );
  return rows[0] ?? null;
}

/**
 * Replaces the credentials of a connector, for the same account. Returns null when the connector was changed
 * after `version` was read.
 */
export async function rotateConnector(
  database: Database,
  before: ConnectorRecord,
  after: Pick<ConnectorRecord, 'credentialsSealed' | 'webhookOverlapUntil'>,
  by: By,
): Promise<ConnectorRecord | null> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<ConnectorRecord>(
      `UPDATE connectors SET credentials_sealed = $3, version = version + 1, checked_at = $4, changed_at = $4,
         webhook_overlap_until = $5
       WHERE id = $1 AND version = $2 RETURNING ${columns}`,
      [before.id, before.version, after.credentialsSealed, by.at, after.webhookOverlapUntil],
    );
    const [rotated] = rows;
    if (rotated) await recordConnectorChange(transaction, by, 'connector.rotated', before, rotated);
    return rotated ?? null;
  });
}

/** Stores when the provider last accepted these credentials. */
export async function markConnectorChecked(database: Queryable, id: string, now: Date): Promise<void> {
  await database.query('UPDATE connectors SET checked_at = $2 WHERE id = $1', [id, now]);
}

/** Returns whether there is such a merchant. */
export async function isMerchant(database: Queryable, merchantId: string): Promise<boolean> {
  const { rowCount } = await database.query('SELECT FROM merchants WHERE id = $1', [merchantId]);
  return rowCount === 1;
}

/** Returns the connector that new payments of this merchant and environment are created with, or null. */
export async function findActiveConnector(
  database: Queryable,
  { merchantId, environment }: Tenant,
): Promise<ConnectorRecord | null> {
  const { rows } = await database.query<ConnectorRecord>(
    `SELECT ${columns} FROM connectors WHERE merchant_id = $1 AND environment = $2 AND active`,
    [merchantId, environment],
  );
  return rows[0] ?? null;
}

/** The connector as its merchant sees it, without credentials. */
export interface ConnectorSummary {
  kind: ConnectorKind;
  account: string;
  checkedAt: Date | null;
  changedAt: Date;
}

/** Returns the summary of the merchant's active connector, or null. For the tenant's own reads. */
export async function describeConnector(
  database: Queryable,
  { merchantId, environment }: Tenant,
): Promise<ConnectorSummary | null> {
  const { rows } = await database.query<ConnectorSummary>(
    `SELECT kind, account, checked_at AS "checkedAt", changed_at AS "changedAt"
     FROM connectors WHERE merchant_id = $1 AND environment = $2 AND active`,
    [merchantId, environment],
  );
  return rows[0] ?? null;
}

/** Returns a connector by its id, active or retired. */
export async function loadConnector(database: Queryable, id: string): Promise<ConnectorRecord | null> {
  const { rows } = await database.query<ConnectorRecord>(`SELECT ${columns} FROM connectors WHERE id = $1`, [
    id,
  ]);
  return rows[0] ?? null;
}

/**
 * Returns the connectors after `afterId` (null: from the first), ordered by id. For the sweep and the
 * operator.
 */
export async function listConnectors(
  database: Queryable,
  { merchantId = null, environment = null }: { merchantId?: string | null; environment?: Environment | null },
  afterId: string | null,
  limit: number,
): Promise<ConnectorRecord[]> {
  const { rows } = await database.query<ConnectorRecord>(
    `SELECT ${columns} FROM connectors
     WHERE ($1::uuid IS NULL OR merchant_id = $1) AND ($2::text IS NULL OR environment = $2)
       AND ($3::uuid IS NULL OR id > $3)
     ORDER BY id LIMIT $4`,
    [merchantId, environment, afterId, limit],
  );
  return rows;
}

/** Returns how many active merchants have a live key that is not revoked and no live connector. */
export async function countLiveWithoutConnector(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(DISTINCT k.merchant_id)::int AS count FROM api_keys k
     JOIN merchants m ON m.id = k.merchant_id AND m.status = 'active'
     WHERE k.environment = 'live' AND k.revoked_at IS NULL AND NOT EXISTS (
       SELECT FROM connectors c WHERE c.merchant_id = k.merchant_id AND c.environment = 'live' AND c.active)`,
  );
  return rows[0]?.count ?? 0;
}
