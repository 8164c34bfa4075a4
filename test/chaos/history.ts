import { z } from 'zod';

const shown = z.object({
  id: z.string().optional(),
  checkoutUrl: z.string().nullish(),
  status: z.string().optional(),
  attemptsLeft: z.number().optional(),
  amountCents: z.number().optional(),
  currency: z.string().optional(),
  reason: z.string().nullish(),
  actionUrl: z.string().nullish(),
  capture: z.object({ url: z.string(), secret: z.string(), reference: z.string() }).nullish(),
  payment: z.object({ status: z.string() }).optional(),
  waitingFor: z.object({ who: z.string(), since: z.string(), until: z.string().nullable() }).nullish(),
  entries: z.array(z.object({ at: z.string(), kind: z.string() })).optional(),
});

/** The fields of a payment, checkout, refund or dispute in an answer that clients and checkers need. */
export type Shown = z.infer<typeof shown>;
export type CaptureAccess = NonNullable<Shown['capture']>;

const envelope = z.object({
  data: z.union([z.array(shown), shown]).nullish(),
  error: z.object({ code: z.string() }).nullish(),
});

/**
 * One call of a client and its result: `ok`, `fail` (a definite refusal), or `unknown` (no answer, or 503:
 * the call may have had its effect). Times in epoch ms.
 */
export interface Call {
  client: number;
  op: string;
  paymentId: string | null;
  key: string | null;
  startedAtMs: number;
  endedAtMs: number;
  result: 'ok' | 'fail' | 'unknown';
  status: number | null;
  code: string | null;
  retryAfter: string | null;
  /** The object in the answer, null when there was none. */
  data: Shown | null;
  /** The objects of a list. */
  items: Shown[];
  /** The body as received, or the name of the fault when none was received. */
  text: string;
}

export type Outcome = Pick<Call, 'result' | 'status' | 'code' | 'retryAfter' | 'data' | 'items' | 'text'>;

/**
 * Returns the result of a call from its answer. Throws SyntaxError for a body that is not JSON, because a
 * fault may have damaged it on its way. JSON of an undocumented shape is the refusal `malformed_answer`,
 * which no document lists.
 */
export function outcomeOf(status: number, retryAfter: string | null, text: string): Outcome {
  const isSuccess = status >= 200 && status < 300;
  const parsed = envelope.safeParse(JSON.parse(text));
  if (!parsed.success) {
    return { result: 'fail', status, code: 'malformed_answer', retryAfter, data: null, items: [], text };
  }
  const { data, error } = parsed.data;
  return {
    result: isSuccess ? 'ok' : status === 503 ? 'unknown' : 'fail',
    status,
    code: error?.code ?? null,
    retryAfter,
    data: Array.isArray(data) ? null : (data ?? null),
    items: Array.isArray(data) ? data : [],
    text,
  };
}

/** Returns the result of a call whose answer may have any shape, such as a CSV. */
export function outcomeOfAny(status: number, retryAfter: string | null, text: string): Outcome {
  if (status >= 400) return outcomeOf(status, retryAfter, text);
  return { ...unanswered(text), result: 'ok', status, retryAfter };
}

/** Returns the result of a call that got no answer. */
export function unanswered(fault: string): Outcome {
  return {
    result: 'unknown',
    status: null,
    code: null,
    retryAfter: null,
    data: null,
    items: [],
    text: fault,
  };
}
