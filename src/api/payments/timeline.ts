import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { Refusal } from '../../domain/refusals.ts';
import { firstFault, orRefuse } from '../http/input.ts';
import { instantParam, splitQuery } from '../http/query-params.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { type TimelineDeps, readTimeline } from '../../operations/payments/timeline.ts';

const parameters = z.object({ at: instantParam.optional(), requests: z.enum(['true', 'false']).optional() });

/** Reads the query of a timeline. Refuses: invalid_query (400). */
function parseQuery(query: string): { at: Date | null; withRequests: boolean } {
  const { params } = orRefuse(splitQuery(query, Object.keys(parameters.shape)), 'invalid_query');
  const parsed = parameters.safeParse(params);
  const { at = null, requests } = orRefuse(
    parsed.success ? { ok: true, ...parsed.data } : firstFault(parsed.error),
    'invalid_query',
  );
  return { at, withRequests: requests === 'true' };
}

/**
 * GET /v1/payments/{id}/timeline: 200 `{data: {payment, waitingFor, entries}}`, as of `at` if it is given.
 * Refuses: invalid_query (400), not_found (404), also for an `at` before the payment's creation.
 * docs/readings.md.
 */
export const timeline = (deps: TimelineDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const { at, withRequests } = parseQuery(rawQuery(request));
  const found = await readTimeline(deps, principalOf(request), id, at, withRequests);
  if (!found) throw new Refusal('not_found');
  return { data: found };
};
