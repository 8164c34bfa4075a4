/**
 * The closed list of refusals that a caller can receive, each with its HTTP status and usual message.
 * Spec: Errors. Refund, dispute and endpoint codes: Spec silent, ADR 0003.
 */
export const refusals = {
  invalid_request: { status: 400, message: 'The request is malformed.' },
  invalid_query: { status: 400, message: 'A query parameter is invalid.' },
  unauthorized: { status: 401, message: 'A valid API key is required.' },
  insufficient_scope: { status: 403, message: 'This key has no scope for this call.' },
  address_not_allowed: { status: 403, message: 'This key may not be used from this address.' },
  cap_reached: {
    status: 403,
    message: 'This key has reached what it may refund in a day. The day ends at midnight UTC.',
  },
  not_found: { status: 404, message: 'Not found.' },
  idempotency_in_progress: {
    status: 409,
    message:
      'The first request with this Idempotency-Key is still running. Retry with the same key and body.',
  },
  idempotency_key_reused: {
    status: 409,
    message: 'This Idempotency-Key was already used with a different request. Use a new key.',
  },
  payment_in_progress: { status: 409, message: 'An attempt is being processed. Poll the status.' },
  action_required: { status: 409, message: 'The customer must complete the open action first.' },
  confirmation_in_progress: { status: 409, message: 'A confirmation is being processed. Poll the status.' },
  confirmation_not_required: { status: 409, message: 'There is nothing to confirm.' },
  result_pending: {
    status: 409,
    message: 'The result of the previous attempt is being reconciled. Poll the status.',
  },
  checkout_expired: {
    status: 410,
    message:
      'The checkout or its capture access has expired or is closed. Read the payment before you create another.',
  },
  attempts_exhausted: {
    status: 410,
    message: 'No attempts are left. Read the payment before you create another.',
  },
  validation_failed: { status: 422, message: 'A field is invalid.' },
  card_token_rejected: {
    status: 422,
    message: 'The card token cannot be used for this payment. Read the checkout and capture the card again.',
  },
  rate_limited: { status: 429, message: 'Too many requests. Retry after the time in Retry-After.' },
  too_many_declines: {
    status: 429,
    message: 'Too many cards were declined. Retry after the time in Retry-After.',
  },
  service_unavailable: {
    status: 503,
    message:
      'A dependency is unavailable. The request may still be processed, so read the status before you retry.',
  },
  payment_not_refundable: { status: 409, message: 'This payment cannot be refunded in its current status.' },
  refund_not_cancelable: {
    status: 409,
    message: 'This refund was already submitted and can no longer be canceled.',
  },
  evidence_already_submitted: { status: 409, message: 'Evidence was already submitted for this dispute.' },
  sandbox_not_applicable: {
    status: 409,
    message: 'This simulation does not apply to the current status.',
  },
  dispute_closed: { status: 409, message: 'This dispute is closed.' },
  evidence_past_due: { status: 409, message: 'The deadline for evidence has passed.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type RefusalCode = keyof typeof refusals;

/** Returns whether a string from a failure or a row is a known refusal code. */
export function isRefusalCode(code: string | null | undefined): code is RefusalCode {
  return code !== null && code !== undefined && Object.hasOwn(refusals, code);
}

/** A refusal as an exception, for code outside the workflow. One error handler turns it into the response. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: RefusalCode,
    details: { field?: string; message?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(details.message ?? refusals[code].message, { cause: details.cause });
    this.name = 'Refusal';
    this.code = code;
    this.field = details.field;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
