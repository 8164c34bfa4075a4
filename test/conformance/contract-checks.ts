import type * as z from 'zod';
import { AttemptResult, CheckoutObject, StatusObject } from '../../src/api/payments/checkout-schema.ts';
import { dataOf, listOf } from '../../src/api/http/schema.ts';
import { CreationResult, Payment } from '../../src/api/payments/schema.ts';
import { type Answer, Shop } from '../support/shop.ts';

/** Every pair of status and code. docs/errors.md */
const statusOf: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_query: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  cap_reached: 403,
  not_found: 404,
  idempotency_in_progress: 409,
  idempotency_key_reused: 409,
  payment_in_progress: 409,
  action_required: 409,
  confirmation_in_progress: 409,
  confirmation_not_required: 409,
  result_pending: 409,
  checkout_expired: 410,
  attempts_exhausted: 410,
  validation_failed: 422,
  card_token_rejected: 422,
  rate_limited: 429,
  service_unavailable: 503,
};

/** The advice of each code; that of a 503 depends on the call. docs/errors.md, "What to do next". */
const adviceOf: Readonly<Record<string, readonly string[]>> = {
  idempotency_in_progress: ['retry_same_key'],
  payment_in_progress: ['read_status'],
  confirmation_in_progress: ['read_status'],
  result_pending: ['read_status'],
  action_required: ['ask_customer'],
  card_token_rejected: ['ask_customer'],
  confirmation_not_required: ['none'],
  checkout_expired: ['new_payment'],
  attempts_exhausted: ['new_payment'],
  rate_limited: ['retry_later'],
  service_unavailable: ['read_status', 'retry_same_key', 'retry_later'],
};

/** The codes that every endpoint may return. */
const everywhere = ['invalid_request', 'unauthorized', 'rate_limited', 'service_unavailable'];
const closed = ['checkout_expired', 'attempts_exhausted'];
const reads = ['not_found'];

interface Endpoint {
  method: string;
  path: RegExp;
  success: number;
  schema: z.ZodType;
  /** Codes beyond those of every endpoint. docs/errors.md. */
  codes: string[];
}

const id = '[^/]+';
/** The eight endpoints, transcribed from the specification and not from the code under test. */
const endpoints: Record<string, Endpoint> = {
  create: {
    method: 'POST',
    path: /^\/v1\/payments$/,
    success: 201,
    schema: dataOf(CreationResult),
    codes: ['idempotency_in_progress', 'idempotency_key_reused', 'validation_failed'],
  },
  list: {
    method: 'GET',
    path: /^\/v1\/payments$/,
    success: 200,
    schema: listOf(Payment),
    codes: ['invalid_query'],
  },
  retrieve: {
    method: 'GET',
    path: new RegExp(`^/v1/payments/${id}$`),
    success: 200,
    schema: dataOf(Payment),
    codes: reads,
  },
  capture: {
    method: 'POST',
    path: new RegExp(`^/v1/payments/${id}/capture$`),
    success: 200,
    schema: dataOf(CheckoutObject),
    codes: [...reads, ...closed, 'payment_in_progress', 'action_required', 'result_pending'],
  },
  checkout: {
    method: 'GET',
    path: new RegExp(`^/v1/payments/${id}/checkout$`),
    success: 200,
    schema: dataOf(CheckoutObject),
    codes: reads,
  },
  pay: {
    method: 'POST',
    path: new RegExp(`^/v1/payments/${id}/pay$`),
    success: 200,
    schema: dataOf(AttemptResult),
    codes: [
      ...reads,
      ...closed,
      'payment_in_progress',
      'action_required',
      'result_pending',
      'card_token_rejected',
    ],
  },
  confirm: {
    method: 'POST',
    path: new RegExp(`^/v1/payments/${id}/confirm$`),
    success: 200,
    schema: dataOf(AttemptResult),
    codes: [...reads, ...closed, 'confirmation_in_progress', 'confirmation_not_required', 'result_pending'],
  },
  status: {
    method: 'GET',
    path: new RegExp(`^/v1/payments/${id}/status$`),
    success: 200,
    schema: dataOf(StatusObject),
    codes: reads,
  },
};

const uriFields = ['checkoutUrl', 'captureUrl', 'allowedOrigin', 'iframeUrl', 'actionUrl', 'url'];

/**
 * Checks an answer by the rules for every answer: JSON, one of the two shapes, a status and code of the
 * endpoint, its headers, and the resource's exact keys. Throws an Error that names the fault.
 */
export function judge(method: string, pathAndQuery: string, answer: Answer): void {
  const [path = ''] = pathAndQuery.split('?');
  const fail = (what: string): never => {
    throw new Error(`${method} ${path.slice(0, 80)} answered ${answer.status}: ${what}`);
  };
  if (!/^application\/json(;|$)/.test(answer.headers.get('content-type') ?? '')) fail('not application/json');
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch {
    fail('not JSON');
  }
  if (!answer.headers.get('request-id')) fail('no Request-Id');
  if (answer.headers.has('access-control-allow-origin')) fail('a CORS permission');
  const endpoint = Object.values(endpoints).find((each) => each.method === method && each.path.test(path));
  if (answer.status < 400) {
    if (!endpoint) return;
    if (answer.status !== endpoint.success) fail(`success is ${endpoint.success}`);
    const parsed = endpoint.schema.safeParse(body);
    if (!parsed.success)
      fail(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; '));
    checkUris(body, fail);
    return;
  }
  checkError(body, answer, endpoint?.codes ?? ['not_found'], fail);
}

function checkError(
  body: unknown,
  answer: Answer,
  codes: readonly string[],
  fail: (what: string) => never,
): void {
  const error = (body as { error?: Record<string, unknown> }).error ?? fail('no error');
  if (Object.keys(body as object).length !== 1) fail('keys beside error');
  const keys = Object.keys(error).filter((key) => !['code', 'message', 'field'].includes(key));
  if (keys.length > 0) fail(`error.${keys[0]}`);
  const { code, message, field } = error;
  if (typeof code !== 'string' || statusOf[code] !== answer.status) return fail(`code ${String(code)}`);
  if (!codes.includes(code) && !everywhere.includes(code)) fail(`${code} is not listed`);
  if (typeof message !== 'string' || message === '') fail('no message');
  if (code === 'validation_failed' ? typeof field !== 'string' : false) fail('no field');
  if (field !== undefined && (typeof field !== 'string' || field === '')) fail('an odd field');
  if (answer.status === 401 && !answer.headers.get('www-authenticate')) fail('no WWW-Authenticate');
  if (answer.status !== 401 && answer.headers.has('www-authenticate')) fail('WWW-Authenticate');
  const advice = answer.headers.get('recovery');
  if (advice === null || !(adviceOf[code] ?? ['fix_request']).includes(advice)) fail(`Recovery ${advice}`);
  const retryAfter = answer.headers.get('retry-after');
  if (answer.status === 429 && retryAfter === null) fail('no Retry-After');
  if (retryAfter !== null && !/^\d+$/.test(retryAfter)) fail('Retry-After is not seconds');
}

/**
 * URL-10: every address in an answer is absolute, short enough, without credentials and without a fragment.
 */
function checkUris(value: unknown, fail: (what: string) => never): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'metadata') continue;
    if (uriFields.includes(key) && typeof member === 'string') {
      const url = new URL(member);
      const development = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
      const fine =
        member.length <= 2048 &&
        url.username === '' &&
        url.password === '' &&
        !member.includes('#') &&
        (url.protocol === 'https:' || (url.protocol === 'http:' && development));
      if (!fine) fail(`${key} is no acceptable URL`);
    } else {
      checkUris(member, fail);
    }
  }
}

/** A merchant's backend that checks every answer. */
export class Probe extends Shop {
  override async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await super.call(method, path, body, headers);
    judge(method, path, answer);
    return answer;
  }
}

/** Returns `[status, code]` of an answer. */
export const refusal = (answer: Answer): [number, string | undefined] => [
  answer.status,
  answer.body.error?.code,
];
export const fault = (answer: Answer): [number, string | undefined, string | undefined] => [
  answer.status,
  answer.body.error?.code,
  answer.body.error?.field,
];
