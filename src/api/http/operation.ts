import type * as z from 'zod';
import type { RefusalCode } from '../../domain/refusals.ts';

/**
 * One endpoint as the document describes it. The schemas are the ones with which the routes parse and answer.
 */
export interface Operation {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in the document, with `{id}` for parameters. */
  path: string;
  group:
    | 'Payments'
    | 'Payment links'
    | 'Refunds'
    | 'Disputes'
    | 'Movements'
    | 'Webhooks and events'
    | 'Checkout page'
    | 'Sandbox';
  summary: string;
  /** Full sentences that add what the summary does not say. */
  description: string;
  /** Whether an Idempotency-Key is required. */
  keyed?: true;
  /** The kind of the path's id; a UUID by default. */
  idOf?: 'event';
  query?: z.ZodObject;
  body?: { schema: z.ZodType; required: boolean };
  success: 200 | 201 | 202;
  answer: z.ZodType;
  /** Description of the answer to a request with `Accept: text/csv`. */
  csv?: string;
  /** Refusals beside those of every endpoint. docs/errors.md. */
  codes: readonly RefusalCode[];
}

/** The refusals of every endpoint. */
export const everywhere: readonly RefusalCode[] = [
  'invalid_request',
  'unauthorized',
  'insufficient_scope',
  'address_not_allowed',
  'rate_limited',
  'service_unavailable',
];

/** The refusals that a required Idempotency-Key adds. */
export const keyCodes: readonly RefusalCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/** The success status and the refusals that lists and reads have in common. */
export const listed = { success: 200, codes: ['invalid_query'] } as const;
export const listedOfPayment = { success: 200, codes: ['invalid_query', 'not_found'] } as const;
export const read = { success: 200, codes: ['not_found'] } as const;

/** The chapter of the reference that covers both webhook endpoints and events. */
export const webhooksGroup = 'Webhooks and events';
