import { defineSignal } from '@temporalio/workflow';
import type { RefundStatus } from '../../domain/refund.ts';

/** Input of a refund's workflow. Instants in epoch ms. */
export interface RefundWorkflowInput {
  refundId: string;
  /** The refund is not submitted before this instant; until then the merchant may cancel it. */
  submitAtMs: number;
  /** Events of its creation, whose deliveries are to be started. */
  eventIds: string[];
}

/** The refund's workflow as its starters see it. */
export type RefundWorkflow = (input: RefundWorkflowInput) => Promise<{ status: RefundStatus }>;

/** A hint that a refund may have changed: rows and network are read again. */
export interface RefundChanged {
  submitNow: boolean;
  /** Committed events whose deliveries are to be started. */
  eventIds: string[];
}

/** The refund may have changed at the network, or is to be submitted at once. */
export const refundChangedSignal = defineSignal<[RefundChanged]>('refundChanged');
