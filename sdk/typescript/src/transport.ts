import { Answer, type WithResponse } from './answer.ts';
import {
  APIConnectionError,
  APIError,
  APIAbortError,
  CardPaymentsError,
  ConflictError,
  RateLimitError,
  type Recovery,
  ServiceUnavailableError,
  apiError,
  invalidArgument,
} from './errors.ts';
import { asObject, parseJson, readBody } from './read-body.ts';
import type { RequestEvent, Settings } from './settings.ts';
import { backOffMs, pause, throwIfAborted, withTimeLimit } from './time-limit.ts';

/** The last argument of every method. */
export interface RequestOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Replaces the client's setting. */
  timeoutMs?: number | undefined;
  /** Replaces the client's setting. */
  maxRetries?: number | undefined;
}

/** Options of a call with an idempotency key. */
export interface KeyedOptions extends RequestOptions {
  /** Names this operation for 24 hours: the same key and the same parameters give the same result. */
  idempotencyKey?: string | undefined;
}

/** One call of the API. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{id}` in place of the id. */
  path: string;
  id?: string;
  query?: object | undefined;
  body?: object;
  /** Makes the call safe to repeat. */
  idempotencyKey?: string;
  options?: RequestOptions | undefined;
}

/** A longer wait is left to the caller. */
const longestRetryAfterSeconds = 60;

/**
 * Sends calls: authenticates, waits, retries calls that are safe to repeat, and turns refusals into errors.
 */
export class Transport {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Makes a call whose result is in `data`, as for every single object. */
  data<T>(call: Call): Answer<T> {
    const unwrapped = async (): Promise<WithResponse<T>> => {
      const { data, ...rest } = await this.send(call);
      return { ...rest, data: data['data'] as T };
    };
    return new Answer(unwrapped());
  }

  /** Makes a call and returns the whole body. */
  async send(call: Call): Promise<WithResponse<Record<string, unknown>>> {
    const { options = {} } = call;
    const url = this.#url(call);
    const init = this.#init(call);
    const maxRetries = options.maxRetries ?? this.settings.maxRetries;
    throwIfAborted(options.signal);
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.#once(call, url, init, retry + 1);
      } catch (error) {
        const waitMs = retry < maxRetries ? retryAfterMs(error, call, retry) : null;
        if (waitMs === null) throw error;
        await pause(waitMs, options.signal);
        if (options.signal?.aborted) throw error;
      }
    }
  }

  #url({ path, id, query = {} }: Call): string {
    if (id !== undefined && !isId(id)) {
      throw invalidArgument('id', 'id must be the id of an object, as the service gave it.');
    }
    const url = new URL(path.replace('{id}', id ?? ''), this.settings.origin);
    for (const [name, value] of Object.entries(query) as [string, string | number | undefined][]) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  #init({ method, body, idempotencyKey }: Call): RequestInit {
    if (idempotencyKey !== undefined && !/^[!-~]{16,255}$/.test(idempotencyKey)) {
      throw invalidArgument(
        'idempotencyKey',
        'idempotencyKey must be 16 to 255 visible ASCII characters, such as order-1001-attempt-1.',
      );
    }
    return {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${this.settings.apiKey}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }

  /** Makes one try. Throws the error of a refusal, or of an answer that does not come from the service. */
  async #once(
    { method, path, id, options = {} }: Call,
    url: string,
    init: RequestInit,
    attempt: number,
  ): Promise<WithResponse<Record<string, unknown>>> {
    const { onRequest, onResponse } = this.settings;
    const event: RequestEvent = { method, path, id: id !== undefined && isOwnId(id) ? id : null, attempt };
    const startedAt = Date.now();
    let answered: Response | null = null;
    onRequest(event);
    try {
      const limits = { timeoutMs: options.timeoutMs ?? this.settings.timeoutMs, signal: options.signal };
      return await withTimeLimit(limits, async (signal) => {
        const response = await this.settings.fetch(url, { ...init, signal });
        answered = response;
        return resultOf(response, await readBody(response), this.settings.apiKey);
      });
    } catch (error) {
      if (error instanceof CardPaymentsError) throw error;
      const what = answered === null ? 'No answer was received' : 'The answer was cut off';
      throw new APIConnectionError(`${what}. The request may have been processed.`, {
        cause: harmless(error),
      });
    } finally {
      const { status = null, headers } = (answered ?? {}) as Partial<Response>;
      const requestId = headers?.get('request-id') ?? null;
      onResponse({ ...event, status, requestId, durationMs: Date.now() - startedAt });
    }
  }
}

/** Ids of the service are UUIDs or `evt_…`. Other characters could change the path of the call. */
const isId = (id: unknown): boolean => typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id);

/** Whether an id has the form of the service's ids. It then cannot be a card number, and may be logged. */
const isOwnId = (id: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) || /^evt_[0-9A-Za-z]{24}$/.test(id);

/** Returns the result in an answer. Throws the error of a refusal. */
function resultOf(response: Response, text: string, apiKey: string): WithResponse<Record<string, unknown>> {
  const { status, headers, type } = response;
  const requestId = headers.get('request-id');
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    throw apiError({
      status,
      code: 'redirected',
      message:
        'The answer is a redirect, which is not followed: it would take the key elsewhere. Check baseUrl.',
      requestId,
    });
  }
  const parsed = parseJson(text);
  const body = asObject(parsed);
  if (response.ok && 'data' in body) return { data: body, status, headers, requestId };
  const { code, message: words, field } = asObject(body['error']);
  if (typeof code !== 'string') {
    const message = `The answer (${status}) is not one of the service: check baseUrl, and what stands before it.`;
    if (response.ok) throw new APIConnectionError(message);
    throw apiError({ status, code: 'unreadable_answer', message, requestId, ...waitOf(headers) });
  }
  throw apiError({
    status,
    code,
    message: `${typeof words === 'string' ? words : code}${hintFor(status, apiKey)}`,
    field: typeof field === 'string' ? field : null,
    recovery: headers.get('recovery') as Recovery | null,
    requestId,
    ...waitOf(headers),
  });
}

function waitOf(headers: Headers): { retryAfterSeconds: number | null } {
  const seconds = headers.get('retry-after');
  return { retryAfterSeconds: seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) : null };
}

/** Returns what to check after a refusal whose reason the service does not reveal. */
function hintFor(status: number, apiKey: string): string {
  const environment = /^cp[a-z]_(sandbox|live)_/.exec(apiKey)?.[1];
  if (status === 401) return ' Check CARD_PAYMENTS_API_KEY, or the apiKey that the client was given.';
  if (status !== 404) return '';
  const keyOf = environment === undefined ? '' : ` (this key is of ${environment})`;
  return ` Check the id, the environment of the key${keyOf}, and whether the feature is enabled.`;
}

/** Returns the cause of a failed connection without details that a runtime may have added. */
function harmless(error: unknown): { name: string; code: string | null } {
  const { name, code, cause } = asObject(error);
  const inner = asObject(cause)['code'] ?? code;
  return { name: typeof name === 'string' ? name : 'Error', code: typeof inner === 'string' ? inner : null };
}

/** Returns the wait before an automatic retry, in ms; null when a retry is not safe. */
function retryAfterMs(error: unknown, { method, idempotencyKey }: Call, retry: number): number | null {
  const isRepeatable = method === 'GET' || idempotencyKey !== undefined;
  const isTransient =
    error instanceof RateLimitError ||
    (isRepeatable &&
      ((error instanceof APIConnectionError && !(error instanceof APIAbortError)) ||
        error instanceof ServiceUnavailableError ||
        (error instanceof ConflictError && error.code === 'idempotency_in_progress')));
  if (!isTransient) return null;
  const seconds = error instanceof APIError ? error.retryAfterSeconds : null;
  if (seconds === null) return backOffMs(retry);
  return seconds > longestRetryAfterSeconds ? null : seconds * 1_000;
}
