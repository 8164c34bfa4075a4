import type { Environment } from './statuses.ts';

/** An event as stored. */
export interface StoredEvent {
  id: string;
  type: string;
  createdAt: Date;
  environment: Environment;
  sequence: number;
  previousStatus: string | null;
  data: Record<string, unknown>;
}

/** Identifies one delivery: an event to be sent to an endpoint. */
export interface DeliveryRef {
  eventId: string;
  endpointId: string;
}

/** A pending delivery with the fields that starting its workflow needs. */
export interface StartableDelivery extends DeliveryRef {
  type: string;
  url: string;
  merchantId: string;
  environment: Environment;
}
