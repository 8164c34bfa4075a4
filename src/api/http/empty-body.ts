import { failure, firstFault, type InputFailure } from './input-failure.ts';
import { emptyObject } from './fields.ts';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';

/**
 * Accepts the body of an operation that has none: no bytes, or `{}` because many clients cannot send nothing.
 * The content type does not matter. Every fault is of `body` and answered 400 invalid_request.
 * Spec: POST /v1/payments/{id}/capture; CAPTURE-02, AMB-26.
 */
export function parseEmptyBody(bytes: Uint8Array | undefined): { ok: true } | InputFailure {
  if (bytes === undefined || bytes.length === 0) return { ok: true };
  try {
    const parsed = emptyObject.safeParse(parseStrictJson(bytes));
    return parsed.success ? { ok: true } : firstFault(parsed.error);
  } catch (error) {
    if (error instanceof StrictJsonError) return failure('body', error.message);
    throw error;
  }
}
