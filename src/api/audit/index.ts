import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import { publishedHead } from '../../db/server/audit.ts';
import { findChainKey } from '../../db/server/chain-key.ts';
import type { Database } from '../../db/server/database.ts';
import { principalOf } from '../http/admission.ts';

export interface AuditRouteDeps {
  database: Database;
  keyring: Keyring;
}

/** Registers the endpoint for the last entry of the merchant's audit log. docs/dashboard.md. */
export function registerAudit(app: FastifyInstance, deps: AuditRouteDeps): void {
  app.get('/v1/audit/head', head(deps));
}

/** GET /v1/audit/head: 200 `{data: {sequence, hash, signature, at, publicKey}}`. ADR 0065. */
const head =
  ({ database, keyring }: AuditRouteDeps) =>
  async (request: FastifyRequest) => {
    const [end, key] = await Promise.all([
      publishedHead(database, principalOf(request).merchantId),
      findChainKey(database, keyring),
    ]);
    return { data: { ...end, publicKey: key?.publicKey.toString('base64') ?? null } };
  };
