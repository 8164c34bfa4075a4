/** What a piece of work belongs to. It goes with the calls that the work makes, through Temporal too. */
export interface Cause {
  /** The request of a caller that the work is done for. */
  requestId?: string;
  paymentId?: string;
  /** The span that is open, as a W3C `traceparent`. */
  traceparent?: string;
}

/** Ids, codes, names and counts; never a body, a card, a token, a secret or an address of a person. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  kind: 'server' | 'client' | 'internal';
  attributes: Attributes;
}

/** An open span. */
export interface Span {
  /** What happens within it belongs to this. */
  readonly cause: Cause;
  set: (attributes: Attributes) => void;
  /** Ends it. `failure`: the name of the error, for one that failed. */
  end: (failure?: string) => void;
}

/** The spans of a process. */
export interface Spans {
  /** Begins a span that continues the trace of `cause`, or a trace where it has none. */
  begin: (name: string, cause: Cause, start: SpanStart) => Span;
  /** Runs `act` in a span of the work at hand, or of `cause`. What `act` throws marks the span as failed. */
  inSpan: <T>(name: string, start: SpanStart, act: () => Promise<T>, cause?: Cause) => Promise<T>;
  /** Runs `act`, and all it begins, as work within `span`. */
  within: <T>(span: Span, act: () => T) => T;
  /** Returns what the work at hand belongs to; undefined for work that belongs to nothing, as a sweep's. */
  current: () => Cause | undefined;
  /** Adds attributes to the span of the work at hand; does nothing without one. */
  annotate: (attributes: Attributes) => void;
  /** Sends what is kept, within seconds. */
  stop: () => Promise<void>;
}

/** Holds the spans of this process: null without `OTEL_EXPORTER_OTLP_ENDPOINT`. ADR 0060. */
export const tracing: { spans: Spans | null } = { spans: null };
