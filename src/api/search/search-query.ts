import * as z from 'zod';
import type { PaymentSearch } from '../../db/payments/payment-search.ts';
import { checkoutStatuses, paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { oneOf } from '../http/fields.ts';
import { type InputFailure, failure, firstFault } from '../http/input.ts';
import { cursorParams, defaultPerPage } from '../http/list-query.ts';
import { instantOrDay, integerParam, splitQuery } from '../http/query-params.ts';

const maxAmountCents = 100_000_000;

const words = (max: number) =>
  z.string().refine((value) => isStorableText(value) && isLengthWithin(value, 1, max), {
    error: `must be 1 to ${max} characters long, without U+0000`,
  });

/**
 * Length of the text parts that can be searched for, in characters. Shorter ones occur in most texts, and no
 * index holds them.
 */
export const partLengths = { min: 3, max: 255 } as const;

const partOfText = z
  .string()
  .refine((value) => isStorableText(value) && isLengthWithin(value, partLengths.min, partLengths.max), {
    error: `must have ${partLengths.min} to ${partLengths.max} characters: send a longer or a shorter part`,
  });

const parameters = z.object({
  reference: words(255).optional(),
  email: words(320).optional(),
  q: partOfText.optional(),
  customerName: words(255).optional(),
  checkoutStatus: oneOf(checkoutStatuses).optional(),
  last4: z
    .string()
    .regex(/^[0-9]{4}$/, { error: 'must be four digits' })
    .optional(),
  method: oneOf(paymentMethods).optional(),
  status: oneOf(paymentStatuses).optional(),
  amountFrom: integerParam(0, maxAmountCents).optional(),
  amountTo: integerParam(0, maxAmountCents).optional(),
  from: instantOrDay.optional(),
  to: instantOrDay.optional(),
  ...cursorParams,
});

/** A search request. `cursor` is still encrypted. */
export interface SearchRequest {
  search: PaymentSearch;
  limit: number;
  cursor: string | null;
}

/**
 * Reads the raw query string of a search (with or without `?`). Unknown, repeated and empty parameters are
 * refused. `from` and `to` are inclusive; `to` is an instant or a whole UTC day. A fault of `q` is answered
 * 422 validation_failed, every other fault 400 invalid_query. docs/readings.md.
 */
export function parseSearchQuery(query: string): ({ ok: true } & SearchRequest) | InputFailure {
  const split = splitQuery(query, Object.keys(parameters.shape));
  if (!split.ok) return split;
  const parsed = parameters.safeParse(split.params);
  if (!parsed.success) return firstFault(parsed.error);
  const { limit = defaultPerPage, cursor = null, from, to, ...rest } = parsed.data;
  if (from && to && from.start >= to.end) return failure('from', 'from must not be after to');
  const { amountFrom, amountTo } = rest;
  if (amountFrom !== undefined && amountTo !== undefined && amountFrom > amountTo) {
    return failure('amountFrom', 'amountFrom must not be more than amountTo');
  }
  return {
    ok: true,
    search: { ...rest, ...(from ? { from: from.start } : {}), ...(to ? { until: to.end } : {}) },
    limit,
    cursor,
  };
}
