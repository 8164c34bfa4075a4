/**
 * The request and span that a piece of work belongs to. It is passed along with the calls that the work
 * makes, through Temporal too.
 */
export interface Cause {
  /** The caller's request for which the work is done. */
  requestId?: string;
  paymentId?: string;
  /** The span that is open, as a W3C `traceparent`. */
  traceparent?: string;
}

/** Ids, codes, names and counts; never a body, a card, a token, a secret or a person's address. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  kind: 'server' | 'client' | 'internal';
  attributes: Attributes;
}

/** An open span. */
export interface Span {
  /** The cause to pass to work within this span. */
  readonly cause: Cause;
  set: (attributes: Attributes) => void;
  /** Ends the span. `failure`: the name of the error, if the work failed. */
  end: (failure?: string) => void;
}

/** The spans of a process. */
export interface Spans {
  /** Begins a span that continues the trace of `cause`, or a new trace if it has none. */
  begin: (name: string, cause: Cause, start: SpanStart) => Span;
  /**
   * Runs `act` in a span of the current work, or of `cause`. An error that `act` throws marks the span as
   * failed.
   */
  inSpan: <T>(name: string, start: SpanStart, act: () => Promise<T>, cause?: Cause) => Promise<T>;
  /** Runs `act`, and everything it starts, as work within `span`. */
  within: <T>(span: Span, act: () => T) => T;
  /** Returns the cause of the current work; undefined for work without one, such as a sweep's. */
  current: () => Cause | undefined;
  /** Adds attributes to the span of the current work; does nothing without a span. */
  annotate: (attributes: Attributes) => void;
  /** Sends the remaining spans, within seconds. */
  stop: () => Promise<void>;
}

/** The spans of this process; null without `OTEL_EXPORTER_OTLP_ENDPOINT`. ADR 0060. */
export const tracing: { spans: Spans | null } = { spans: null };
