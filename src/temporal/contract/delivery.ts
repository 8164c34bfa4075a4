import { defineSignal } from '@temporalio/workflow';
import type { DeliveryRef } from '../../domain/event.ts';

/** The delivery's workflow as its starters see it. */
export type DeliverWebhookWorkflow = (ref: DeliveryRef) => Promise<{ status: string }>;

/** Makes a delivery's next try at once. */
export const deliverNowSignal = defineSignal('deliverNow');

/** The events that a replay sends to an endpoint again. Instants in epoch ms, `untilMs` exclusive. */
export interface ReplayInput {
  endpointId: string;
  sinceMs: number;
  untilMs: number;
  /** Types or groups such as `payment.*`; null for those that the endpoint subscribes to. */
  types: string[] | null;
  status: 'failed' | 'all';
}

/** The progress of a replay; absent at its start. */
export interface ReplayProgress {
  afterPosition: number;
  sent: number;
}

/** The replay's workflow as its starters see it. */
export type ReplayWebhooksWorkflow = (
  input: ReplayInput,
  progress?: ReplayProgress,
) => Promise<{ sent: number }>;
