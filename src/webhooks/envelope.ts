import type { StoredEvent } from '../domain/event.ts';
import type { Environment } from '../domain/statuses.ts';

/** An event as merchants get it: by webhook, and from `GET /v1/events`. docs/webhooks.md. */
export interface EventEnvelope {
  /** `evt_…`; the same for every retry and endpoint. */
  id: string;
  type: string;
  /** When it happened, ISO 8601. */
  timestamp: string;
  apiVersion: 'v1';
  environment: Environment;
  /** Rises by one per payment; 0 for what belongs to no payment. */
  sequence: number;
  previousStatus: string | null;
  data: Record<string, unknown>;
}

/** Shapes a stored event. Its JSON is the same each time: retries carry the same bytes. */
export function eventEnvelope(event: StoredEvent): EventEnvelope {
  return {
    id: event.id,
    type: event.type,
    timestamp: event.createdAt.toISOString(),
    apiVersion: 'v1',
    environment: event.environment,
    sequence: event.sequence,
    previousStatus: event.previousStatus,
    data: event.data,
  };
}
