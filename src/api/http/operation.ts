import type * as z from 'zod';
import type { RefusalCode } from '../../domain/refusals.ts';

/** One endpoint as the document tells it. Schemas are the ones the routes parse and answer with. */
export interface Operation {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in the document: `{id}` for parameters. */
  path: string;
  group: 'Payments' | 'Refunds' | 'Disputes' | 'Webhooks and events' | 'Checkout page' | 'Sandbox';
  summary: string;
  description?: string;
  /** Whether an Idempotency-Key is required. */
  keyed?: true;
  /** What the path's id is; a UUID unless said. */
  idOf?: 'event';
  query?: z.ZodObject;
  body?: { schema: z.ZodType; required: boolean };
  success: 200 | 201 | 202;
  answer: z.ZodType;
  /** The answer where `Accept: text/csv` asks for it, in words. */
  csv?: string;
  /** Refusals beyond those every endpoint can meet. docs/errors.md. */
  codes: readonly RefusalCode[];
}

/** What any endpoint can meet. */
export const everywhere: readonly RefusalCode[] = [
  'invalid_request',
  'unauthorized',
  'rate_limited',
  'service_unavailable',
];

/** What a required Idempotency-Key adds. */
export const keyCodes: readonly RefusalCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/** What lists and reads answer. */
export const listed = { success: 200, codes: ['invalid_query'] } as const;
export const listedOfPayment = { success: 200, codes: ['invalid_query', 'not_found'] } as const;
export const read = { success: 200, codes: ['not_found'] } as const;

/** One chapter of the reference for endpoints and events. */
export const webhooksGroup = 'Webhooks and events';
