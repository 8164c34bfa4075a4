import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Keyring } from '../../crypto/keyring.ts';
import { listRequests } from '../../db/server/api-requests.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import type { ApiRequest } from '../../domain/api-request.ts';
import { rawQuery } from '../../http/request.ts';
import { requestLog, sealCursor } from '../../operations/list-cursor.ts';
import { principalOf } from '../http/admission.ts';
import { readCursor } from '../http/cursor.ts';
import { firstFault, type InputFailure, orRefuse } from '../http/input.ts';
import { cursorParams, defaultPerPage } from '../http/list-query.ts';
import { splitQuery } from '../http/query-params.ts';

interface ListDeps {
  lists: TenantReads;
  keyring: Keyring;
}

const parameters = z.object(cursorParams);

function parseQuery(search: string): { ok: true; limit: number; cursor: string | null } | InputFailure {
  const split = splitQuery(search, Object.keys(parameters.shape));
  if (!split.ok) return split;
  const parsed = parameters.safeParse(split.params);
  if (!parsed.success) return firstFault(parsed.error);
  const { limit = defaultPerPage, cursor = null } = parsed.data;
  return { ok: true, limit, cursor };
}

/**
 * GET /v1/requests: 200 `{data: ApiRequest[], meta: {nextCursor}}`, newest first. A call is listed a moment
 * after it was answered. Refuses: invalid_query (400).
 */
const list = (deps: ListDeps) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const { limit, cursor } = orRefuse(parseQuery(rawQuery(request)), 'invalid_query');
  const source = requestLog();
  const position = readCursor(deps.keyring, principal, source, cursor);
  const { requests, next } = await deps.lists.read(principal, (database) =>
    listRequests(database, principal, {}, position?.id ?? null, limit),
  );
  return {
    data: requests.map(viewOf),
    meta: { nextCursor: next === null ? null : sealCursor(deps.keyring, principal, source, { id: next }) },
  };
};

const viewOf = ({ id, at, method, route, status, errorCode, ms }: ApiRequest) => ({
  id,
  at: at.toISOString(),
  method,
  path: route.replaceAll(/:(\w+)/g, '{$1}'),
  status,
  errorCode,
  durationMs: ms,
});

/** Registers the log of the calls of a merchant's keys, which `card-payments logs tail` follows. */
export function registerRequests(app: FastifyInstance, deps: ListDeps): void {
  app.get('/v1/requests', list(deps));
}
