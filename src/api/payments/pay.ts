import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { pathId } from '../../http/request.ts';
import {
  type AttemptDeps,
  attemptResult,
  makeCustomAttempt,
} from '../../operations/payments/make-attempt.ts';
import { principalOf } from '../http/admission.ts';
import { expected, text } from '../http/fields.ts';
import { type InputFailure, firstFault, jsonBody, orRefuse } from '../http/input.ts';
import type { AttemptResult } from './checkout-schema.ts';

/**
 * The parsed body of a pay. Both fields are secrets of the merchant's backend: never logged, never echoed.
 */
export interface PayCommand {
  cardToken: string;
  captureReference: string;
}

/** The documented body of POST /v1/payments/{id}/pay. */
export const PayBody = z
  .strictObject(
    {
      cardToken: text(16, 4096).meta({ description: "The vault's token for this payment." }),
      captureReference: text(1, 31).meta({ description: 'Equal to `capture.reference`.' }),
    },
    { error: expected('a JSON object') },
  )
  .meta({
    id: 'Pay',
    description:
      "The vault's answer for this payment. Unknown fields are refused; card fields never belong here.",
    examples: [{ cardToken: 'tok_5f0c2b7e9a41d83c', captureReference: 'cap_8Jd02mKq' }],
  });

/**
 * Turns the JSON value of a pay request into a command, or names its first fault. A fault is answered 400
 * invalid_request. Spec: POST /v1/payments/{id}/pay; AMB-01.
 */
export function parsePay(body: unknown): { ok: true; command: PayCommand } | InputFailure {
  const parsed = PayBody.safeParse(body);
  return parsed.success ? { ok: true, command: parsed.data } : firstFault(parsed.error, PayBody);
}

/**
 * POST /v1/payments/{id}/pay: 200 `{data: AttemptResult}`, also for a failed attempt. The token is sealed
 * before it is stored and reaches the workflow by reference only.
 * Refuses: invalid_request, not_found, payment_in_progress, action_required, result_pending,
 * checkout_expired, attempts_exhausted, card_token_rejected, too_many_declines, service_unavailable (the
 * attempt may be processing: poll status).
 */
export const pay =
  (deps: AttemptDeps & { tenants: TenantReads }) =>
  async (request: FastifyRequest): Promise<{ data: AttemptResult }> => {
    const id = pathId(request);
    const { cardToken, captureReference } = orRefuse(parsePay(jsonBody(request)), 'invalid_request').command;
    const principal = principalOf(request);
    const result = await makeCustomAttempt(deps, principal, id, {
      method: 'card',
      card: { token: cardToken, reference: captureReference },
      simulated: null,
      requestId: request.id,
      by: { keyId: principal.keyId },
    });
    return { data: await attemptResult(deps, id, result) };
  };
