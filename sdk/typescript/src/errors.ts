/** The next step that the service advises with every refusal. */
export type Recovery =
  'read_status' | 'retry_same_key' | 'retry_later' | 'ask_customer' | 'new_payment' | 'fix_request' | 'none';

/**
 * The base class of all errors of this package. No text of an error contains a key, a secret, a token or a
 * card.
 */
export class CardPaymentsError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A setting of the client is missing or cannot be used. Nothing was sent. */
export class ConfigurationError extends CardPaymentsError {}

/** The details of a refusal. */
export interface APIErrorDetails {
  status: number;
  code: string;
  message: string;
  field?: string | null;
  recovery?: Recovery | null;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
}

/**
 * The service refused a call. It describes the request, never the payment: a payment may be paid although a
 * call was refused.
 */
export class APIError extends CardPaymentsError {
  /** The HTTP status. */
  readonly status: number;
  /** The code to match, such as `validation_failed`. New codes may appear. */
  readonly code: string;
  /** The field at fault, if there is one. */
  readonly field: string | null;
  /** What to do next. */
  readonly recovery: Recovery | null;
  /** The id of the call; quote it to support. Null when the answer did not come from the service itself. */
  readonly requestId: string | null;
  /** How long to wait before the next call, when the service names a time. */
  readonly retryAfterSeconds: number | null;

  constructor(details: APIErrorDetails) {
    super(details.message);
    this.status = details.status;
    this.code = details.code;
    this.field = details.field ?? null;
    this.recovery = details.recovery ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** 400 and 422: a field, a parameter or an id is wrong. Fix the request. */
export class ValidationError extends APIError {}
/** 401: the key is missing, malformed, unknown or revoked. */
export class AuthenticationError extends APIError {}
/** 403: the key may not make this call. */
export class PermissionError extends APIError {}
/** 404: unknown, of another merchant or environment, or not enabled. The service does not say which. */
export class NotFoundError extends APIError {}
/** 409: something else is under way, or the state does not allow the call. */
export class ConflictError extends APIError {}
/** 410: the checkout or its capture access is closed. Read the payment before you create another one. */
export class GoneError extends APIError {}
/** 429: too many calls. Nothing was started. */
export class RateLimitError extends APIError {}
/** 500 to 599: a dependency is unavailable. The request may still be processed. */
export class ServiceUnavailableError extends APIError {}

/** No complete answer of the service was received. The request may have been processed. */
export class APIConnectionError extends CardPaymentsError {}
/** No answer was received in time. The request may have been processed. */
export class APITimeoutError extends APIConnectionError {}
/**
 * The caller's signal ended the call. The request may have been processed, unless the text says otherwise.
 */
export class APIAbortError extends APIConnectionError {}

/** A delivery is not from the service, or cannot be verified. Answer 400 and do nothing else. */
export class WebhookVerificationError extends CardPaymentsError {}

const classes: Readonly<Record<number, typeof APIError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: ValidationError,
  429: RateLimitError,
};

/** Returns the error of a refusal, as an instance of the class of its status. */
export function apiError(details: APIErrorDetails): APIError {
  const known = details.status >= 500 ? ServiceUnavailableError : (classes[details.status] ?? APIError);
  return new known(details);
}

/** Returns the error for an argument that cannot be sent. Nothing was sent. */
export function invalidArgument(field: string, message: string): ValidationError {
  return new ValidationError({
    status: 400,
    code: 'invalid_request',
    message,
    field,
    recovery: 'fix_request',
  });
}
