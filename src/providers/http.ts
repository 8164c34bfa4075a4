import { request } from 'undici';
import type { z } from 'zod';
import { tracing } from '../tracing/spans.ts';
import { createConnectionPool } from './connection-pool.ts';
import { ProviderUnavailable } from './ports.ts';

/** The largest answer that is read from a provider, in bytes. */
const maxAnswerBytes = 1024 * 1024;

/** Errors that undici and Node raise before a connection exists, when nothing can have been sent. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Returns whether an error was raised while connecting. The same codes can end an established connection,
 * after the request was sent. The errors of several addresses come as one aggregate.
 */
function whileConnecting(error: unknown): boolean {
  if (error instanceof AggregateError) return true;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Returns whether an error of undici or Node proves that no byte of a request was sent. */
export function wasNeverSent(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && neverSent.has(code) && whileConnecting(error);
}

export interface ProviderHttpOptions {
  provider: 'vault' | 'network';
  baseUrl: string;
  serviceKey: string;
  /** Longest wait for an answer, in ms. */
  timeoutMs: number;
}

export interface ProviderHttp {
  /**
   * Makes one call. Returns the HTTP status and the JSON body, checked against `schema`, for a 2xx; `null` as
   * the body for another status that `expected` lists. Throws `ProviderUnavailable` for everything else:
   * timeout, reset, 5xx, redirects, bodies that do not match the schema. Never repeats a call by itself.
   */
  call<T>(input: {
    method: 'GET' | 'POST' | 'PUT';
    path: string;
    body?: unknown;
    idempotencyKey?: string;
    schema: z.ZodType<T>;
    expected?: number[];
    timeoutMs?: number;
  }): Promise<{ status: number; body: T | null }>;
  close(): Promise<void>;
}

/** Returns a bounded JSON-over-HTTP client with its own connection pool. */
export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const dispatcher = createConnectionPool({ connectTimeoutMs: 1_000, maxAnswerBytes });
  const fail = (sent: boolean, detail: string) => new ProviderUnavailable(options.provider, sent, detail);

  return {
    async call({ method, path, body, idempotencyKey, schema, expected = [], timeoutMs = options.timeoutMs }) {
      let status: number;
      let text: string;
      const traceparent = tracing.spans?.current()?.traceparent;
      try {
        const answer = await request(options.baseUrl + path, {
          method,
          dispatcher,
          headers: {
            authorization: `Bearer ${options.serviceKey}`,
            ...(traceparent === undefined ? {} : { traceparent }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
          signal: AbortSignal.timeout(timeoutMs),
        });
        status = answer.statusCode;
        text = await answer.body.text();
      } catch (error) {
        // A timeout's own code is a number.
        const isCoded = error instanceof Error && 'code' in error && typeof error.code === 'string';
        const code = isCoded ? String(error.code) : 'no answer in time';
        throw fail(!wasNeverSent(error), code);
      }
      if (expected.includes(status)) return { status, body: null };
      if (status < 200 || status > 299) throw fail(true, `status ${status}`);
      if (status === 204) return { status, body: null };
      let parsed: z.ZodSafeParseResult<unknown>;
      try {
        parsed = schema.safeParse(JSON.parse(text));
      } catch {
        throw fail(true, 'the answer is not JSON');
      }
      if (!parsed.success) throw fail(true, 'the answer does not match the protocol');
      return { status, body: parsed.data as never };
    },
    close: () => dispatcher.close(),
  };
}
