import type { By } from '../../domain/audit.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import type { Scope } from '../../domain/scopes.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** A key to store: its keyed hash, not its text. */
export interface NewKey {
  id: string;
  merchantId: string;
  environment: Environment;
  name: string;
  secretHash: Buffer;
  lookupKeyId: string;
  methods: PaymentMethod[] | null;
  embeddingOrigins: string[] | null;
  /** Absent: a full key. */
  scopes?: Scope[] | null;
  /** Addresses and networks from which the key may be used; absent: any. */
  allowFrom?: string[] | null;
  /** The maximum sum of refunds in a UTC day, in cents; absent: no limit. */
  refundCapCents?: number | null;
  /** Only for a rolled key: the first key of its line, with which it shares the cap. */
  lineId?: string | null;
}

/** Stores a new key by its keyed hash; `inactive` when the merchant's account is not activated (AUTH-03). */
export async function insertKey(
  database: Database,
  key: NewKey,
  by: By,
): Promise<'created' | 'unknown' | 'inactive'> {
  return inTransaction(database, (transaction) => addKey(transaction, key, by));
}

/** Stores a new key as the last statements of a transaction. Returns what `insertKey` returns. */
export async function addKey(
  transaction: Queryable,
  key: NewKey,
  by: By,
): Promise<'created' | 'unknown' | 'inactive'> {
  const { rows } = await transaction.query<{ status: string }>('SELECT status FROM merchants WHERE id = $1', [
    key.merchantId,
  ]);
  const [merchant] = rows;
  if (!merchant) return 'unknown';
  if (merchant.status !== 'active') return 'inactive';
  await storeKey(transaction, key);
  await recordChange(transaction, {
    ...by,
    merchantId: key.merchantId,
    environment: key.environment,
    action: 'key.created',
    subject: { type: 'key', id: key.id },
    before: null,
    after: {
      name: key.name,
      methods: key.methods,
      embeddingOrigins: key.embeddingOrigins,
      ...((key.scopes ?? null) === null ? {} : { scopes: key.scopes }),
      ...((key.allowFrom ?? null) === null ? {} : { allowFrom: key.allowFrom }),
      ...((key.refundCapCents ?? null) === null ? {} : { refundCapCents: key.refundCapCents }),
    },
  });
  return 'created';
}

async function storeKey(transaction: Queryable, key: NewKey): Promise<void> {
  await transaction.query(
    `INSERT INTO api_keys (id, merchant_id, environment, name, secret_hash, lookup_key_id, methods, embedding_origins,
       scopes, refund_cap_cents, line_id, allow_from)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      key.id,
      key.merchantId,
      key.environment,
      key.name,
      key.secretHash,
      key.lookupKeyId,
      key.methods,
      key.embeddingOrigins,
      key.scopes ?? null,
      key.refundCapCents ?? null,
      key.lineId ?? null,
      key.allowFrom ?? null,
    ],
  );
}

/**
 * Stores a key that replaces another key of the same tenant, which expires at `endsAt`. The new key has its
 * name, methods, origins, scopes, addresses and cap. Returns false when there is no such active key.
 */
export async function rollKey(
  database: Database,
  previous: Tenant & { id: string; endsAt: Date },
  key: Pick<NewKey, 'id' | 'secretHash' | 'lookupKeyId'>,
  by: By,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<
      Pick<
        NewKey,
        'name' | 'methods' | 'embeddingOrigins' | 'scopes' | 'refundCapCents' | 'lineId' | 'allowFrom'
      > & {
        expiresAt: Date | null;
      }
    >(
      `SELECT name, methods, embedding_origins AS "embeddingOrigins", scopes, allow_from AS "allowFrom",
         refund_cap_cents AS "refundCapCents", coalesce(line_id, id) AS "lineId", expires_at AS "expiresAt"
       FROM api_keys
       WHERE id = $1 AND merchant_id = $2 AND environment = $3 AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > $4) FOR UPDATE`,
      [previous.id, previous.merchantId, previous.environment, by.at],
    );
    const [known] = rows;
    if (!known) return false;
    const { expiresAt, ...own } = known;
    const { merchantId, environment } = previous;
    await storeKey(transaction, { ...own, ...key, merchantId, environment });
    const ended = await transaction.query<{ expiresAt: Date }>(
      `UPDATE api_keys SET expires_at = least(expires_at, $2) WHERE id = $1
       RETURNING expires_at AS "expiresAt"`,
      [previous.id, previous.endsAt],
    );
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment,
      action: 'key.rolled',
      subject: { type: 'key', id: previous.id },
      before: { expiresAt },
      after: { expiresAt: ended.rows[0]?.expiresAt ?? null, newKeyId: key.id },
    });
    return true;
  });
}

/** Revokes a key permanently (a key of this tenant when one is given); false when there is no such key. */
export async function revokeKey(
  database: Database,
  id: string,
  by: By,
  tenant: Tenant | null = null,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<Tenant & { name: string; revokedAt: Date | null }>(
      `SELECT merchant_id AS "merchantId", environment, name, revoked_at AS "revokedAt" FROM api_keys
       WHERE id = $1 AND ($2::uuid IS NULL OR (merchant_id = $2 AND environment = $3)) FOR UPDATE`,
      [id, tenant?.merchantId ?? null, tenant?.environment ?? null],
    );
    const [key] = rows;
    if (!key) return false;
    if (key.revokedAt !== null) return true;
    await transaction.query('UPDATE api_keys SET revoked_at = $2 WHERE id = $1', [id, by.at]);
    await recordChange(transaction, {
      ...by,
      merchantId: key.merchantId,
      environment: key.environment,
      action: 'key.revoked',
      subject: { type: 'key', id },
      before: { name: key.name, revokedAt: null },
      after: { revokedAt: by.at },
    });
    return true;
  });
}

/** A key as its merchant reads it. */
export interface KeyRow {
  id: string;
  name: string;
  methods: PaymentMethod[] | null;
  scopes: Scope[] | null;
  refundCapCents: number | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The caller's address at the last use. */
  lastUsedFrom: string | null;
  /** Addresses and networks from which the key may be used; null: any. */
  allowFrom: string[] | null;
  /** When a rolled key expires. */
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const keyColumns = `k.id, k.name, k.methods, k.scopes, k.allow_from AS "allowFrom",
  k.refund_cap_cents AS "refundCapCents", k.created_at AS "createdAt", u.last_used_at AS "lastUsedAt",
  u.last_used_from AS "lastUsedFrom",
  k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"`;
const keyTables = 'api_keys k LEFT JOIN api_key_uses u ON u.key_id = k.id';

/** Returns a tenant's keys, active ones first, newest first, at most `limit`. */
export async function listKeys(database: Queryable, tenant: Tenant, limit: number): Promise<KeyRow[]> {
  const { rows } = await database.query<KeyRow>(
    `SELECT ${keyColumns} FROM ${keyTables} WHERE k.merchant_id = $1 AND k.environment = $2
     ORDER BY k.revoked_at IS NOT NULL, k.created_at DESC, k.id DESC LIMIT $3`,
    [tenant.merchantId, tenant.environment, limit],
  );
  return rows;
}

/** Returns the tenant's key, or null. */
export async function findTenantKey(database: Queryable, tenant: Tenant, id: string): Promise<KeyRow | null> {
  const { rows } = await database.query<KeyRow>(
    `SELECT ${keyColumns} FROM ${keyTables} WHERE k.id = $1 AND k.merchant_id = $2 AND k.environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Stores when a key was last used, and from which address, at most once a minute for each key. */
export async function recordKeyUse(
  database: Queryable,
  id: string,
  at: Date,
  from: string | null = null,
): Promise<void> {
  await database.query(
    `INSERT INTO api_key_uses AS u (key_id, last_used_at, last_used_from) VALUES ($1, $2, $3)
     ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at,
       last_used_from = excluded.last_used_from
       WHERE u.last_used_at < excluded.last_used_at - interval '1 minute'`,
    [id, at, from],
  );
}
