import type { Queryable } from '../server/database.ts';

export interface EndpointSecrets {
  secretSealed: Buffer;
  previousSecretSealed: Buffer | null;
  previousSecretUntil: Date | null;
}

/** Returns the sealed secrets of an endpoint; with `lock`, locked until the end of the transaction. */
export async function loadEndpointSecrets(
  database: Queryable,
  id: string,
  lock = false,
): Promise<EndpointSecrets | null> {
  const { rows } = await database.query<EndpointSecrets>(
    `SELECT secret_sealed AS "secretSealed", previous_secret_sealed AS "previousSecretSealed",
       previous_secret_until AS "previousSecretUntil"
     FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL ${lock ? 'FOR UPDATE' : ''}`,
    [id],
  );
  return rows[0] ?? null;
}

/** Replaces the sealed secrets of an endpoint. */
export async function storeEndpointSecrets(
  database: Queryable,
  id: string,
  secrets: EndpointSecrets & { at: Date },
): Promise<void> {
  await database.query(
    `UPDATE webhook_endpoints SET secret_sealed = $2, previous_secret_sealed = $3, previous_secret_until = $4,
       updated_at = $5
     WHERE id = $1`,
    [id, secrets.secretSealed, secrets.previousSecretSealed, secrets.previousSecretUntil, secrets.at],
  );
}
