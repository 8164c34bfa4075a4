import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Keyring } from '../../crypto/keyring.ts';
import { listMovements } from '../../db/movements/movements.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { movementTypes, movementView } from '../../domain/movement.ts';
import { rawQuery } from '../../http/request.ts';
import { movementsOf, sealCursor } from '../../operations/list-cursor.ts';
import { principalOf } from '../http/admission.ts';
import { readCursor } from '../http/cursor.ts';
import { oneOf } from '../http/fields.ts';
import { orRefuse } from '../http/input.ts';
import { parseCursorQuery } from '../http/list-query.ts';
import { uuidParam } from '../http/query-params.ts';

const filters = z.object({
  type: oneOf(movementTypes).optional(),
  paymentId: uuidParam.optional(),
});

interface ListDeps {
  lists: TenantReads;
  keyring: Keyring;
}

/**
 * GET /v1/movements: 200 `{data: Movement[], meta: {nextCursor}}`, last booked first. `from` and `to` are
 * days of `bookedOn`. Refuses: invalid_query (400).
 */
const list = (deps: ListDeps) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const { query } = orRefuse(parseCursorQuery(rawQuery(request), filters), 'invalid_query');
  const { limit, cursor, ...given } = query;
  const { type = null, paymentId = null, from = null, to = null } = given;
  const source = movementsOf(given);
  const position = readCursor(deps.keyring, principal, source, cursor);
  const { rows, next } = await deps.lists.read(principal, (database) =>
    listMovements(database, principal, { type, paymentId, from, until: to }, position, limit),
  );
  return {
    data: rows.map(movementView),
    meta: { nextCursor: next && sealCursor(deps.keyring, principal, source, next) },
  };
};

/**
 * Registers the endpoint for the movements of a merchant's money, in the environment of its key.
 * docs/movements.md.
 */
export function registerMovements(app: FastifyInstance, deps: ListDeps): void {
  app.get('/v1/movements', list(deps));
}
