import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const callMs = 25_000;
const longestWaitMs = 3_000;

/** Where the running stack is, and the demo merchant's key. */
export interface Stack {
  baseUrl: string;
  apiKey: string;
}

export interface Request {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
  idempotencyKey?: string;
}

export interface Answer {
  status: number;
  data: unknown;
  code: string | null;
}

const envelope = z.object({
  data: z.unknown(),
  error: z.object({ code: z.string() }).nullish(),
});

/** Makes one call; returns null when it was not answered, or by a 5xx. */
export async function call(stack: Stack, request: Request): Promise<Answer | null> {
  const { method, path, body, idempotencyKey } = request;
  try {
    const response = await fetch(stack.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${stack.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callMs),
    });
    const { data, error } = envelope.parse(await response.json());
    return response.status >= 500 ? null : { status: response.status, data, code: error?.code ?? null };
  } catch {
    return null;
  }
}

/** Repeats a call until it is answered. */
export async function callWithRetries(stack: Stack, request: Request): Promise<Answer> {
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
    const answer = await call(stack, request);
    // The first request with the same key died on its way: its lease runs out.
    const isUnderway = answer?.code === 'idempotency_in_progress';
    if (answer && answer.status !== 429 && !isUnderway) return answer;
    await sleep(waitMs);
  }
}

/**
 * Repeats a call until it is answered; returns its data as `schema` has it. Throws when that does not fit.
 */
export async function callAndParse<Data>(
  stack: Stack,
  request: Request,
  schema: z.ZodType<Data>,
): Promise<Data> {
  const { status, code, data } = await callWithRetries(stack, request);
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new Error(`${request.method} ${request.path} answered ${status} ${code ?? ''}`);
}
