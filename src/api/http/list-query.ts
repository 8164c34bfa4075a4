import * as z from 'zod';
import { paymentStatuses } from '../../domain/statuses.ts';
import { failure, firstFault, type InputFailure } from './input.ts';
import { oneOf } from './fields.ts';
import { integerParam, splitQuery, utcDayParam } from './query-params.ts';

const dayMs = 86_400_000;

/** Spec: Limits > list perPage. */
export const defaultPerPage = 20;
export const maxPerPage = 100;
/** The last page that is read: callers who need older entries narrow the dates. LIST-07. */
export const maxPage = 100_000;

/**
 * The parameters of every list. `from` is the start of a UTC day; `to` is exclusive: the start of the day
 * after the given one.
 */
interface ListWindow {
  from?: Date;
  to?: Date;
  page: number;
  perPage: number;
}

const windowParams = z.object({
  from: utcDayParam.optional(),
  to: utcDayParam.optional(),
  page: integerParam(1, maxPage).optional(),
  perPage: integerParam(1, maxPerPage).optional(),
});

/** The filters of GET /v1/payments beside dates and paging. */
const paymentFilters = z.object({ status: oneOf(paymentStatuses).optional() });

type ListQuery<Filters extends z.ZodObject = typeof paymentFilters> = z.output<Filters> & ListWindow;
export type ListQueryResult<Filters extends z.ZodObject = typeof paymentFilters> =
  { ok: true; query: ListQuery<Filters> } | InputFailure;

/**
 * Reads the query string of a list: `from`, `to`, `page`, `perPage` and the list's own `filters` (the payment
 * list's unless given), an object schema over decoded texts, built of `word`, `uuidParam`, `utcDayParam`,
 * `integerParam`. Takes the raw string (with or without `?`), since parsed ones hide repeated and empty
 * parameters. Every failure is answered 400 invalid_query. Spec: GET /v1/payments; LIST-02 to -11, AMB-25.
 */
export function parseListQuery(search: string): ListQueryResult;
export function parseListQuery<Filters extends z.ZodObject>(
  search: string,
  filters: Filters,
): ListQueryResult<Filters>;
export function parseListQuery(
  search: string,
  filters: z.ZodObject = paymentFilters,
): ListQueryResult<z.ZodObject> {
  const split = splitQuery(search, [...Object.keys(filters.shape), ...Object.keys(windowParams.shape)]);
  if (!split.ok) return split;
  const own = filters.safeParse(split.params);
  if (!own.success) return firstFault(own.error);
  const window = windowParams.safeParse(split.params);
  if (!window.success) return firstFault(window.error);
  const { from, to, page = 1, perPage = defaultPerPage } = window.data;
  if (from !== undefined && to !== undefined && from > to)
    return failure('from', 'from must not be after to');
  return {
    ok: true,
    query: {
      ...own.data,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to: new Date(to.getTime() + dayMs) }),
      page,
      perPage,
    },
  };
}
