import { tracing } from './spans.ts';

/** The log message of a process whose spans are lost. */
export const tracesLost = 'the OTLP collector takes no traces';

export interface TracingSettings {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' | 'http/protobuf';
}

/** The shortest time between two log lines about a collector that does not answer, in ms. */
const reportEveryMs = 60_000;

/**
 * Starts the export of this process's spans if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; otherwise nothing of
 * OpenTelemetry is loaded. Returns a function that stops it. `onFailure` is called at most once a minute.
 */
export async function startTracing(
  settings: TracingSettings,
  process: { serviceName: string; version: string },
  onFailure: () => void,
): Promise<() => Promise<void>> {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return async () => undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  const { createSpans } = await import('./create-spans.ts');
  let reportedAt = -Infinity;
  const tracer = await openTelemetry({
    endpoint,
    protocol: settings.OTEL_EXPORTER_OTLP_PROTOCOL,
    ...process,
    onFailure: () => {
      const now = performance.now();
      if (now - reportedAt < reportEveryMs) return;
      reportedAt = now;
      onFailure();
    },
  });
  const spans = createSpans(tracer);
  tracing.spans = spans;
  return async () => {
    tracing.spans = null;
    await spans.stop();
  };
}
