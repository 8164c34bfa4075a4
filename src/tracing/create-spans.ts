import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Cause, Span, SpanStart, Spans } from './spans.ts';

/** The destination of spans. `parent`: the W3C `traceparent` that the span continues. */
export interface Tracer {
  start(
    name: string,
    start: SpanStart & { parent?: string | undefined },
  ): { traceparent: string } & Pick<Span, 'set' | 'end'>;
  stop(): Promise<void>;
}

/** Returns the spans of a process, which follow its work through promises and timers. */
export function createSpans(tracer: Tracer): Spans {
  const storage = new AsyncLocalStorage<Span>();

  const begin: Spans['begin'] = (name, cause, { kind, attributes }) => {
    const { traceparent, set, end } = tracer.start(name, {
      kind,
      parent: cause.traceparent,
      attributes: { ...idsOf(cause), ...attributes },
    });
    return { cause: { ...cause, traceparent }, set, end };
  };
  const current = (): Cause | undefined => storage.getStore()?.cause;

  return {
    begin,
    current,
    within: (span, act) => storage.run(span, act),
    annotate: (attributes) => storage.getStore()?.set(attributes),
    async inSpan(name, start, act, cause = current() ?? {}) {
      const span = begin(name, cause, start);
      try {
        const result = await storage.run(span, act);
        span.end();
        return result;
      } catch (error) {
        span.end(failureName(error));
        throw error;
      }
    },
    stop: () => tracer.stop(),
  };
}

function idsOf({ requestId, paymentId }: Cause): Attributes {
  return {
    ...(requestId === undefined ? {} : { 'request.id': requestId }),
    ...(paymentId === undefined ? {} : { 'payment.id': paymentId }),
  };
}

/**
 * Returns the name of an error and, for a refusal, its code. A message may quote sent data, so it is left
 * out.
 */
function failureName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
