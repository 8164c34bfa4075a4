import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Tracer } from './create-spans.ts';

/** Longest wait for the collector, in ms, of each export and of the last one when the process stops. */
const exportMs = 5_000;
const stopMs = 2_000;
/** The maximum number of spans that wait for the collector; further ones are dropped. */
const maxWaiting = 2_048;

export interface TracingOptions {
  /** Address of an OTLP collector, without `/v1/traces`. */
  endpoint: string;
  protocol: 'http/json' | 'http/protobuf';
  serviceName: string;
  version: string;
  /** Called for each export that failed. */
  onFailure: () => void;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const propagator = new W3CTraceContextPropagator();
const getter = {
  keys: (carrier: Record<string, string>) => Object.keys(carrier),
  get: (carrier: Record<string, string>, key: string) => carrier[key],
};
const setter = {
  set: (carrier: Record<string, string>, key: string, value: string) => {
    carrier[key] = value;
  },
};

const contextOf = (traceparent: string | undefined): Context =>
  traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, { traceparent }, getter);

/**
 * Returns a tracer that sends its spans to an OTLP collector in batches. Sampling follows the caller's
 * `traceparent`, and `OTEL_TRACES_SAMPLER` for traces that begin here. Headers for the collector come from
 * `OTEL_EXPORTER_OTLP_HEADERS`.
 */
export async function openTelemetry(options: TracingOptions): Promise<Tracer> {
  const provider = new BasicTracerProvider({
    resource: new Resource({
      'service.name': options.serviceName,
      'service.version': options.version,
      'service.instance.id': `${process.pid}`,
    }),
    spanProcessors: [
      new BatchSpanProcessor(reporting(await exporterFor(options), options.onFailure), {
        maxQueueSize: maxWaiting,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer('card-payments', options.version);
  return {
    start(name, { kind, parent, attributes }) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent));
      const carrier: Record<string, string> = {};
      propagator.inject(trace.setSpan(ROOT_CONTEXT, span), carrier, setter);
      return {
        traceparent: carrier['traceparent'] ?? '',
        set: (more) => void span.setAttributes(more),
        end: (failure) => {
          if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
          span.end();
        },
      };
    },
    stop: async () => {
      const waited = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), waited]);
    },
  };
}

async function exporterFor({ endpoint, protocol }: TracingOptions): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: exportMs });
}

/** Returns an exporter that reports each failure. */
function reporting(exporter: SpanExporter, onFailure: () => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) onFailure();
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
