import type { ConnectorKind } from '../../domain/connector.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Queryable } from '../server/database.ts';

/** The settings in effect for new payments of a merchant and environment. */
export interface TenantSettings {
  merchantId: string;
  environment: Environment;
  methods: PaymentMethod[];
  customMode: boolean;
  customActions: boolean;
  hostedForm: boolean;
  embeddingOrigins: string[];
  /** The connector that new payments are created with; null: the simulators. */
  connector: { id: string; kind: ConnectorKind } | null;
}

/** The caller, with the settings in effect for its key. */
export interface Principal extends TenantSettings {
  keyId: string;
  /** Null: a full key. */
  scopes: Scope[] | null;
  /** Addresses and networks from which the key may be used; null: any. */
  allowFrom: string[] | null;
}

export interface StoredKey extends Principal {
  usable: boolean;
  /** The look-up key that the hash was made with. */
  lookupKeyId: string | null;
}

const connectorColumn =
  "CASE WHEN c.id IS NULL THEN NULL ELSE json_build_object('id', c.id, 'kind', c.kind) END AS connector";

/**
 * Returns the key that has one of these keyed hashes, with its merchant's state and the settings in effect. A
 * key's own payment methods and embedding origins apply if it has any (methods can only narrow the
 * merchant's); otherwise the merchant's apply.
 */
export async function findKey(database: Queryable, secretHashes: Buffer[]): Promise<StoredKey | null> {
  const { rows } = await database.query<StoredKey>(
    `SELECT k.id AS "keyId", k.merchant_id AS "merchantId", k.environment, k.scopes, k.allow_from AS "allowFrom",
       k.lookup_key_id AS "lookupKeyId",
       k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AND m.status = 'active' AS usable,
       CASE WHEN k.methods IS NULL THEN s.methods
            ELSE ARRAY(SELECT unnest(s.methods) INTERSECT SELECT unnest(k.methods)) END AS methods,
       s.custom_mode AS "customMode", s.custom_actions AS "customActions", s.hosted_form AS "hostedForm",
       coalesce(k.embedding_origins, s.embedding_origins) AS "embeddingOrigins",
       ${connectorColumn}
     FROM api_keys k
     JOIN merchants m ON m.id = k.merchant_id
     JOIN merchant_settings s ON s.merchant_id = k.merchant_id AND s.environment = k.environment
     LEFT JOIN connectors c ON c.merchant_id = k.merchant_id AND c.environment = k.environment AND c.active
     WHERE k.secret_hash = ANY($1::bytea[])`,
    [secretHashes],
  );
  return rows[0] ?? null;
}

/** Stores a key's hash made with the current look-up key. */
export async function renewKeyHash(
  database: Queryable,
  { keyId, secretHash, lookupKeyId }: { keyId: string; secretHash: Buffer; lookupKeyId: string },
): Promise<void> {
  await database.query('UPDATE api_keys SET secret_hash = $2, lookup_key_id = $3 WHERE id = $1', [
    keyId,
    secretHash,
    lookupKeyId,
  ]);
}

/** Returns the settings of an active merchant, not narrowed by any key, or null. */
export async function tenantSettings(
  database: Queryable,
  { merchantId, environment }: Pick<TenantSettings, 'merchantId' | 'environment'>,
): Promise<TenantSettings | null> {
  const { rows } = await database.query<TenantSettings>(
    `SELECT s.merchant_id AS "merchantId", s.environment, s.methods, s.custom_mode AS "customMode",
       s.custom_actions AS "customActions", s.hosted_form AS "hostedForm",
       s.embedding_origins AS "embeddingOrigins", ${connectorColumn}
     FROM merchant_settings s
     JOIN merchants m ON m.id = s.merchant_id AND m.status = 'active'
     LEFT JOIN connectors c ON c.merchant_id = s.merchant_id AND c.environment = s.environment AND c.active
     WHERE s.merchant_id = $1 AND s.environment = $2`,
    [merchantId, environment],
  );
  return rows[0] ?? null;
}
