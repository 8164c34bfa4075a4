import type { Environment, PaymentMethod } from '../domain/statuses.ts';
import { inTransaction, type Database, type Queryable } from './database.ts';
import type { Tenant } from './payments.ts';

/** Settings of a merchant in one environment. */
export interface MerchantSettings {
  merchantId: string;
  environment: Environment;
  methods: PaymentMethod[];
  customMode: boolean;
  customActions: boolean;
  embeddingOrigins: string[];
  hostedForm: boolean;
  /** A payment that is paid after its checkout closed is refunded by itself. */
  refundLate: boolean;
}

const settingsColumns = `merchant_id AS "merchantId", environment, methods, custom_mode AS "customMode",
  custom_actions AS "customActions", embedding_origins AS "embeddingOrigins", hosted_form AS "hostedForm",
  refund_late AS "refundLate"`;

/**
 * Creates a merchant with the default settings of docs/operations.md: all methods in sandbox, custom mode
 * off.
 */
export async function createMerchant(
  database: Database,
  merchant: { id: string; name: string; status: 'active' | 'inactive' },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await transaction.query('INSERT INTO merchants (id, name, status) VALUES ($1, $2, $3)', [
      merchant.id,
      merchant.name,
      merchant.status,
    ]);
    await transaction.query(
      `INSERT INTO merchant_settings (merchant_id, environment, methods)
       VALUES ($1, 'sandbox', '{card,wallet,pix}'), ($1, 'live', '{card,wallet,pix}')`,
      [merchant.id],
    );
  });
}

export interface MerchantRow {
  merchantId: string;
  name: string;
  status: 'inactive' | 'active' | 'disabled';
  createdAt: Date;
}

/** Every merchant, newest first, at most `limit`. For the operator. */
export async function listMerchants(database: Queryable, limit: number): Promise<MerchantRow[]> {
  const { rows } = await database.query<MerchantRow>(
    `SELECT id AS "merchantId", name, status, created_at AS "createdAt" FROM merchants
     ORDER BY created_at DESC, id DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Sets a merchant's status; false when there is no such merchant. */
export async function setMerchantStatus(
  database: Queryable,
  id: string,
  status: 'active' | 'disabled',
): Promise<boolean> {
  const { rowCount } = await database.query('UPDATE merchants SET status = $2 WHERE id = $1', [id, status]);
  return rowCount === 1;
}

/** Changes the given settings and answers all of them; null when there is no such merchant. */
export async function updateSettings(
  database: Queryable,
  merchantId: string,
  environment: Environment,
  changes: Partial<Omit<MerchantSettings, 'merchantId' | 'environment'>>,
): Promise<MerchantSettings | null> {
  const { rows } = await database.query<MerchantSettings>(
    `UPDATE merchant_settings SET methods = coalesce($3, methods), custom_mode = coalesce($4, custom_mode),
       custom_actions = coalesce($5, custom_actions), embedding_origins = coalesce($6, embedding_origins),
       hosted_form = coalesce($7, hosted_form), refund_late = coalesce($8, refund_late)
     WHERE merchant_id = $1 AND environment = $2 RETURNING ${settingsColumns}`,
    [
      merchantId,
      environment,
      changes.methods ?? null,
      changes.customMode ?? null,
      changes.customActions ?? null,
      changes.embeddingOrigins ?? null,
      changes.hostedForm ?? null,
      changes.refundLate ?? null,
    ],
  );
  return rows[0] ?? null;
}

/** Stores a new key by its keyed hash; `inactive` when the merchant's account is not activated (AUTH-03). */
export async function insertKey(
  database: Queryable,
  key: {
    id: string;
    merchantId: string;
    environment: Environment;
    name: string;
    secretHash: Buffer;
    lookupKeyId: string;
    methods: PaymentMethod[] | null;
    embeddingOrigins: string[] | null;
  },
): Promise<'created' | 'unknown' | 'inactive'> {
  const { rows } = await database.query<{ status: string }>('SELECT status FROM merchants WHERE id = $1', [
    key.merchantId,
  ]);
  const [merchant] = rows;
  if (!merchant) return 'unknown';
  if (merchant.status !== 'active') return 'inactive';
  await database.query(
    `INSERT INTO api_keys (id, merchant_id, environment, name, secret_hash, lookup_key_id, methods, embedding_origins)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      key.id,
      key.merchantId,
      key.environment,
      key.name,
      key.secretHash,
      key.lookupKeyId,
      key.methods,
      key.embeddingOrigins,
    ],
  );
  return 'created';
}

/** Revokes a key for ever; false when there is no such key. */
export async function revokeKey(database: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await database.query(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1',
    [id],
  );
  return rowCount === 1;
}

/** Whether the merchant confirms actions by itself; null when it has no settings. Spec: POST confirm. */
export async function hasCustomActions(database: Queryable, tenant: Tenant): Promise<boolean | null> {
  const { rows } = await database.query<{ customActions: boolean }>(
    `SELECT custom_actions AS "customActions" FROM merchant_settings
     WHERE merchant_id = $1 AND environment = $2`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0]?.customActions ?? null;
}
