import { Refusal } from '../../server.ts';

export type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

/** The `error` member of an answer, in Stripe's names. Objects in it are as the API shows them. */
export interface ApiError {
  type: ErrorType;
  code?: string;
  message: string;
  param?: string;
  decline_code?: string;
  advice_code?: string;
  network_decline_code?: string;
  charge?: string;
  doc_url?: string;
  request_log_url?: string;
  payment_intent?: object;
  payment_method?: object;
}

/**
 * An answer other than 200. `saved`: the request had begun to run, so a repeat under its idempotency key gets
 * this same answer.
 */
export class StripeError extends Refusal {
  readonly error: ApiError;
  readonly saved: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    error: ApiError,
    options: { saved?: boolean; headers?: Record<string, string> } = {},
  ) {
    super(status, error.code ?? error.type, error.message, error.param);
    this.error = withDocs(error);
    this.saved = options.saved ?? false;
    this.headers = options.headers ?? {};
  }
}

/** Returns the body of any refusal, including those that the server itself creates. */
export function stripeErrorBody(refusal: Refusal): { error: ApiError } {
  if (refusal instanceof StripeError) return { error: refusal.error };
  const type = refusal.status >= 500 ? 'api_error' : 'invalid_request_error';
  return { error: { type, message: refusal.message } };
}

export function withDocs(error: ApiError): ApiError {
  if (error.code === undefined || error.doc_url !== undefined) return error;
  return { ...error, doc_url: `https://docs.stripe.com/error-codes#${error.code.replaceAll('_', '-')}` };
}

/** Returns the 400 for a wrong parameter, before any effect. */
export function badParameter(param: string, message: string, code?: string): StripeError {
  const error: ApiError = { type: 'invalid_request_error', message, param };
  return new StripeError(400, code === undefined ? error : { ...error, code });
}

/** 400 or 404 from the rules: saved under the idempotency key. */
export function ruleError(status: number, error: Omit<ApiError, 'type'>): StripeError {
  return new StripeError(status, { type: 'invalid_request_error', ...error }, { saved: true });
}

/** Returns the same answer for an unknown object, another account's, and one of the other mode. */
export function noSuch(what: string, id: string, param: string): StripeError {
  return ruleError(404, { code: 'resource_missing', message: `No such ${what}: '${id}'`, param });
}

const LOCKED =
  'There is currently another in-progress request using this Idempotent Key ' +
  '(that probably means you submitted twice, and the other request is still going through). ' +
  'Please try again later.';

/** 409: the first call under an idempotency key still runs. */
export function inProgress(): StripeError {
  return new StripeError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: LOCKED,
  });
}
