import { firstFault, type InputFailure } from '../http/input.ts';
import { emptyObject } from '../http/fields.ts';

/** The documented body of POST /v1/payments/{id}/confirm. */
export const ConfirmBody = emptyObject.meta({
  id: 'Confirm',
  description: 'The empty object.',
  examples: [{}],
});

/**
 * Accepts exactly `{}`; every fault is of `body` and answered 400 invalid_request.
 * Spec: POST /v1/payments/{id}/confirm; CONFIRM-04, AMB-01.
 */
export function parseConfirm(body: unknown): { ok: true } | InputFailure {
  const parsed = ConfirmBody.safeParse(body);
  return parsed.success ? { ok: true } : firstFault(parsed.error);
}
