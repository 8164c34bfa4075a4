import { type Cause, currentCause, withCause } from './cause.ts';

/** Ids, codes, names and counts; never a body, a card, a token, a secret or an address of a person. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'server' | 'client' | 'internal';

export interface SpanStart {
  kind: SpanKind;
  /** The W3C `traceparent` that it continues; without one it begins a trace. */
  parent?: string | undefined;
  attributes: Attributes;
  /** When it began, epoch ms; absent: now. */
  startMs?: number;
}

/** An open span. */
export interface Span {
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** Ends it. `failure`: the name of the error, for one that failed. */
  end(failure?: string): void;
}

/** Where spans go. */
export interface Tracer {
  start(name: string, span: SpanStart): Span;
  /** Sends what is kept, within seconds. */
  stop(): Promise<void>;
}

/** The tracer of this process; null without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
let tracer: Tracer | null = null;
const open = new WeakMap<Cause, Span>();

/** Has all spans of this process go to `used` from now on; null ends that. */
export const useTracer = (used: Tracer | null): void => {
  tracer = used;
};

/**
 * Begins a span of `cause` and returns it with the cause of what happens within; without tracing there is no
 * span, and the cause is returned as it is.
 */
export function beginSpan(
  name: string,
  cause: Cause,
  { attributes, ...start }: Omit<SpanStart, 'parent'>,
): { span: Span | null; cause: Cause } {
  if (tracer === null) return { span: null, cause };
  const span = tracer.start(name, {
    ...start,
    parent: cause.traceparent,
    attributes: { ...idsOf(cause), ...attributes },
  });
  const within = { ...cause, traceparent: span.traceparent };
  open.set(within, span);
  return { span, cause: within };
}

/** Runs `act` in a span of the work at hand, or of `cause`. What `act` throws marks the span as failed. */
export async function inSpan<T>(
  name: string,
  start: Omit<SpanStart, 'parent'>,
  act: () => Promise<T>,
  cause: Cause = currentCause() ?? {},
): Promise<T> {
  const begun = beginSpan(name, cause, start);
  try {
    const result = await withCause(begun.cause, act);
    begun.span?.end();
    return result;
  } catch (error) {
    begun.span?.end(failureName(error));
    throw error;
  }
}

/** Adds attributes to the span of the work at hand; does nothing without one. */
export function annotate(attributes: Attributes): void {
  const cause = currentCause();
  if (cause) open.get(cause)?.set(attributes);
}

function idsOf({ requestId, paymentId }: Cause): Attributes {
  return {
    ...(requestId === undefined ? {} : { 'request.id': requestId }),
    ...(paymentId === undefined ? {} : { 'payment.id': paymentId }),
  };
}

/** The name of an error and, for a refusal, its code; a message may quote what was sent. */
function failureName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
