import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { Principal } from '../../db/merchants/api-keys.ts';
import { recordChange } from '../../db/server/audit.ts';
import type { Queryable } from '../../db/server/database.ts';
import { findPayment } from '../../db/payments/payments.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import type { Actor } from '../../domain/audit.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { bodyHash, runOperation } from '../../operations/idempotency.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { idempotencyKey, jsonBody, orRefuse, parseBody } from '../http/input.ts';
import { pathId } from '../../http/request.ts';

/** One sandbox request, read and checked. */
export interface SandboxRequest<Body> {
  principal: Principal;
  /** The path's id; empty on paths without one. */
  id: string;
  body: Body;
}

/**
 * A sandbox endpoint: 404 for live keys whatever they ask, `Idempotency-Key` required, work done once per key
 * and the same answer for each repeat. `check` runs in the transaction that claims the key.
 * docs/sandbox.md, AMB-48. `run` is the same for the dashboard, where the caller is known.
 */
export function sandboxRoute<Schema extends z.ZodType>(
  deps: ApiDeps,
  route: {
    operation: string;
    schema: Schema;
    status?: 200 | 201;
    check: (transaction: Queryable, request: SandboxRequest<z.output<Schema>>) => Promise<void>;
    work: (request: SandboxRequest<z.output<Schema>>, operationId: string) => Promise<unknown>;
  },
) {
  const run = ({ principal, id, key, json, actor }: SandboxCall) => {
    const parsed = orRefuse(parseBody(route.schema, json), 'validation_failed');
    const { merchantId, environment } = principal;
    const operation = `sandbox_${route.operation}`;
    const claim = { merchantId, environment, operation, key, bodyHash: bodyHash({ id, body: json }) };
    const read = { principal, id, body: parsed.body };
    return runOperation<unknown>(deps, claim, {
      check: async (transaction) => {
        await route.check(transaction, read);
        await recordChange(transaction, {
          actor,
          at: new Date(deps.now()),
          merchantId,
          environment,
          action: `sandbox.${route.operation}`,
          subject: { type: 'sandbox', id: id || route.operation },
          before: null,
          after: json as Record<string, unknown>,
        });
      },
      work: (operationId) => route.work(read, operationId),
    });
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = principalOf(request);
    if (principal.environment !== 'sandbox') throw new Refusal('not_found');
    const { id: inPath } = request.params as { id?: string };
    const id = inPath === undefined ? '' : pathId(request);
    const key = idempotencyKey(request);
    const json = jsonBody(request);
    const { result, replayed } = await run({ principal, id, key, json, actor: actorOf(request) });
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return reply.status(route.status ?? 200).send({ data: result });
  };
  return Object.assign(handle, { run });
}

/** A sandbox request, whoever makes it: `json` is its body. */
export interface SandboxCall {
  principal: Principal;
  id: string;
  key: string;
  json: unknown;
  actor: Actor;
}

/**
 * The caller's payment. Refuses: not_found (404); sandbox_not_applicable (409) for one that the simulators do
 * not hold.
 */
export async function sandboxPayment(
  database: Queryable,
  principal: Principal,
  id: string,
): Promise<PaymentRecord> {
  const payment = await findPayment(database, principal, id);
  if (!payment) throw new Refusal('not_found');
  if (payment.connectorId !== null) throw new Refusal('sandbox_not_applicable');
  return payment;
}

/** How long an answer waits for the service to have followed what was ordered, in ms. */
const followMs = 5_000;
const pollMs = 100;

/**
 * Reads until `isThere` or the wait is over, so that the answer shows the effect; returns what was read last.
 */
export async function follow<Row>(
  read: () => Promise<Row>,
  isThere: (row: Row) => boolean,
  now: () => number,
): Promise<Row> {
  const end = now() + followMs;
  for (;;) {
    const row = await read();
    if (isThere(row) || now() >= end) return row;
    await sleep(pollMs);
  }
}
