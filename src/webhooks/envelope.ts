import type { StoredEvent } from '../domain/event.ts';
import type { Environment } from '../domain/statuses.ts';

/** An event as merchants receive it: by webhook, and from `GET /v1/events`. docs/webhooks.md. */
export interface EventEnvelope {
  /** `evt_…`; the same for every retry and endpoint. */
  id: string;
  type: string;
  /** When the event happened, in ISO 8601. */
  timestamp: string;
  apiVersion: 'v1';
  environment: Environment;
  /** Rises by one per event of a payment; 0 for events without a payment. */
  sequence: number;
  previousStatus: string | null;
  data: Record<string, unknown>;
}

/** Returns a stored event as merchants receive it. Its JSON has the same bytes at every retry. */
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
