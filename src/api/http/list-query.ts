import * as z from 'zod';
import { paymentStatuses } from '../../domain/statuses.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { failure, firstFault, type InputFailure } from './input.ts';
import { oneOf } from './fields.ts';
import { integerParam, splitQuery, utcDayParam } from './query-params.ts';

const dayMs = 86_400_000;

/** Spec: Limits > list perPage. */
export const defaultPerPage = 20;
export const maxPerPage = 100;
/** The last page that can be read; callers who need older entries narrow the dates. LIST-07. */
export const maxPage = 100_000;

/** Longest accepted cursor, in characters. */
const maxCursor = 1_024;

/**
 * The range of creation dates. `from` is the start of a UTC day; `to` is the start of the day after the given
 * one.
 */
interface DayWindow {
  from?: Date;
  to?: Date;
}

/** The window of a list that is read by pages, beside its filters. */
interface PageWindow extends DayWindow {
  page: number;
  perPage: number;
}

/**
 * The window of a list that is read by cursor, beside its filters. `cursor` is still encrypted; null means
 * the first page.
 */
interface CursorWindow extends DayWindow {
  limit: number;
  cursor: string | null;
}

const dayParams = { from: utcDayParam.optional(), to: utcDayParam.optional() };
const pageParams = z.object({
  ...dayParams,
  page: integerParam(1, maxPage).optional(),
  perPage: integerParam(1, maxPerPage).optional(),
});
/** The parameters of paging by cursor. docs/merchants.md, "Lists". */
export const cursorParams = {
  limit: integerParam(1, maxPerPage).optional(),
  cursor: z
    .string()
    .refine((value) => isStorableText(value) && isLengthWithin(value, 1, maxCursor), {
      error: `must be 1 to ${maxCursor} characters long, without U+0000`,
    })
    .optional(),
};
const cursorWindowParams = z.object({ ...dayParams, ...cursorParams });

/** The filters of GET /v1/payments beside dates and paging. */
const paymentFilters = z.object({ status: oneOf(paymentStatuses).optional() });

type Parsed<Filters extends z.ZodObject, Window> =
  { ok: true; query: z.output<Filters> & Window } | InputFailure;
export type ListQueryResult<Filters extends z.ZodObject = typeof paymentFilters> = Parsed<
  Filters,
  PageWindow
>;

/**
 * Reads the query string of a list: `from`, `to`, `page`, `perPage` and the list's own `filters`, which are
 * those of the payment list unless given. `filters` is an object schema over decoded texts, built of `oneOf`,
 * `uuidParam`, `utcDayParam` and `integerParam`. `search` is the raw string (with or without `?`), because
 * parsed ones hide repeated and empty parameters. Every failure is answered 400 invalid_query. Spec: GET
 * /v1/payments; LIST-02 to -11, AMB-25.
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
  const parsed = parseWindowed(search, filters, pageParams);
  if (!parsed.ok) return parsed;
  const { page = 1, perPage = defaultPerPage } = parsed.window;
  return { ok: true, query: { ...parsed.filters, ...parsed.days, page, perPage } };
}

/**
 * Reads the query string of a list that is read by cursor, as {@link parseListQuery} does, but with `limit`
 * and `cursor` in place of `page` and `perPage`. docs/merchants.md, "Lists".
 */
export function parseCursorQuery<Filters extends z.ZodObject>(
  search: string,
  filters: Filters,
): Parsed<Filters, CursorWindow> {
  const parsed = parseWindowed(search, filters, cursorWindowParams);
  if (!parsed.ok) return parsed;
  const { limit = defaultPerPage, cursor = null } = parsed.window;
  return { ok: true, query: { ...parsed.filters, ...parsed.days, limit, cursor } };
}

function parseWindowed<Filters extends z.ZodObject, Window extends z.ZodObject<typeof dayParams>>(
  search: string,
  filters: Filters,
  windowParams: Window,
): { ok: true; filters: z.output<Filters>; window: z.output<Window>; days: DayWindow } | InputFailure {
  const split = splitQuery(search, [...Object.keys(filters.shape), ...Object.keys(windowParams.shape)]);
  if (!split.ok) return split;
  const own = filters.safeParse(split.params);
  if (!own.success) return firstFault(own.error);
  const window = windowParams.safeParse(split.params);
  if (!window.success) return firstFault(window.error);
  const { from, to }: { from?: Date | undefined; to?: Date | undefined } = window.data;
  if (from !== undefined && to !== undefined && from > to)
    return failure('from', 'from must not be after to');
  const days = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to: new Date(to.getTime() + dayMs) }),
  };
  return { ok: true, filters: own.data, window: window.data, days };
}
