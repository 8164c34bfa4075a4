import type { By } from '../domain/audit.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { type Database, inTransaction, type Queryable } from '../db/server/database.ts';
import { loadEndpointSecrets, storeEndpointSecrets } from '../db/webhooks/endpoint-secrets.ts';
import { loadEndpoint, recordEndpointChange } from '../db/webhooks/endpoints.ts';
import { createSigningSecret, rotationOverlapMs } from './signing.ts';

interface SecretDeps {
  database: Queryable;
  keyring: Keyring;
}

/**
 * Returns the secrets that sign for an endpoint now: the current one, and for 24 hours after a rotation the
 * previous one; null: there is no such endpoint.
 */
export async function signingSecrets(
  deps: SecretDeps,
  endpointId: string,
  now: Date,
): Promise<string[] | null> {
  const stored = await loadEndpointSecrets(deps.database, endpointId);
  if (!stored) return null;
  const current = deps.keyring.open(stored.secretSealed, sealContext.webhookSecret(endpointId));
  if (!stored.previousSecretSealed || !stored.previousSecretUntil || stored.previousSecretUntil <= now) {
    return [current];
  }
  const previous = stored.previousSecretSealed;
  return [current, deps.keyring.open(previous, sealContext.previousWebhookSecret(endpointId))];
}

/** Replaces an endpoint's secret. Returns the new secret, which is shown only now; null: no such endpoint. */
export async function rotateSecret(
  deps: SecretDeps & { database: Database },
  endpointId: string,
  by: By,
): Promise<{ secret: string; previousSecretUntil: Date } | null> {
  const { keyring } = deps;
  return inTransaction(deps.database, async (transaction) => {
    const stored = await loadEndpointSecrets(transaction, endpointId, true);
    if (!stored) return null;
    const secret = createSigningSecret();
    const previousSecretUntil = new Date(by.at.getTime() + rotationOverlapMs);
    // Sealed values are bound to their place, so the old secret is sealed anew for its new column.
    const old = keyring.open(stored.secretSealed, sealContext.webhookSecret(endpointId));
    await storeEndpointSecrets(transaction, endpointId, {
      secretSealed: keyring.seal(secret, sealContext.webhookSecret(endpointId)),
      previousSecretSealed: keyring.seal(old, sealContext.previousWebhookSecret(endpointId)),
      previousSecretUntil,
      at: by.at,
    });
    const endpoint = await loadEndpoint(transaction, endpointId);
    if (endpoint) {
      await recordEndpointChange(
        transaction,
        endpoint,
        'webhook.rotated',
        { before: null, after: { previousSecretUntil } },
        by,
      );
    }
    return { secret, previousSecretUntil };
  });
}
