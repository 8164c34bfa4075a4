import * as z from 'zod';
import { defaultPerPage, maxPage, maxPerPage } from './list-query.ts';

/*
 * Documentation of the raw headers and query strings that are read by hand: a schema would see repeated
 * parameters and headers already joined. Not meant for validation.
 */

/** Spec: POST /v1/payments > Idempotency-Key; read by parseIdempotencyKey. */
export const IdempotencyKeyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[!-~]{16,255}$/)
    .meta({
      minLength: 16,
      maxLength: 255,
      description: 'Names this operation for 24 hours: the same key and body replay its answer.',
      examples: ['order-1001-attempt-1'],
    }),
});

/** The parameters of every list; read by parseListQuery. */
export const listParameters = {
  from: z.iso
    .date()
    .meta({ description: 'First UTC day of creation, inclusive.', examples: ['2026-03-01'] })
    .optional(),
  to: z.iso
    .date()
    .meta({ description: 'Last UTC day of creation, inclusive.', examples: ['2026-03-31'] })
    .optional(),
  page: z.int().min(1).max(maxPage).default(1),
  perPage: z.int().min(1).max(maxPerPage).default(defaultPerPage),
};
