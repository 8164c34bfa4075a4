import type { DeliveryRef, ReplayRange } from '../db/deliveries.ts';

/** Where a try leaves a delivery. */
export type DeliveryStep =
  { state: 'settled'; status: 'delivered' | 'failed' | 'canceled' } | WaitingDelivery;

export interface WaitingDelivery {
  state: 'waiting';
  waitMs: number;
  /** Tries of this round so far. */
  tries: number;
  /** What the last try met, for operators; null before the first. */
  lastResult: string | null;
}

/** A replay as its workflow carries it: instants in epoch ms. */
export interface ReplayInput extends Omit<ReplayRange, 'since' | 'until'> {
  sinceMs: number;
  untilMs: number;
}

/** The activities of queue `webhooks`. */
export interface WebhookActivities {
  /** Starts the delivery workflows of a committed event. Repeating it changes nothing. */
  startDeliveries(input: { eventId: string }): Promise<void>;
  /** Makes the try that is due, if any; `evenIfEarly`: now. Records it and tells when the next one is due. */
  attemptDelivery(input: DeliveryRef & { evenIfEarly: boolean }): Promise<DeliveryStep>;
  /** Ends a pending delivery without a try. */
  cancelDelivery(input: DeliveryRef): Promise<void>;
  /** Starts what is missing and clears what is past its time; answers whether more may be waiting. */
  sweepDeliveries(): Promise<{ more: boolean }>;
  /** Sends the next events of a replay behind a place of the log; answers the place reached, null at the end. */
  replayPage(input: ReplayInput & { afterPosition: number }): Promise<{ next: number | null; sent: number }>;
}
