import type { Keyring } from '../../crypto/keyring.ts';
import { type CursorList, openCursor, sealCursor } from '../../operations/list-cursor.ts';
import { count } from './format.ts';
import type { CursorPages, ListPages, Notice } from './view.ts';
import { texts } from '../texts/en.ts';
import { spanOf } from './days.ts';
import type { Visit } from '../visit.ts';

/** Rows of one page of a list that is read by cursor. */
export const perPage = 25;
/** Rows of one page of a list whose length is known. */
export const perListPage = 50;
/** The last page that can be read. */
const lastPage = 1_000;

/** Returns the page number in an address; 1 if it is invalid. */
export function pageOf({ query }: Visit): number {
  const given = query.get('page') ?? '';
  return /^[1-9]\d{0,3}$/.test(given) ? Math.min(Number(given), lastPage) : 1;
}

/** Returns the address of a list with its filter, without notices and confirmations. */
export function addressOf({ frame, query }: Visit, path: string): string {
  const kept = new URLSearchParams(query);
  for (const name of ['done', 'ask', 'id']) kept.delete(name);
  return `${frame.base}${path}${kept.size === 0 ? '' : `?${kept.toString()}`}`;
}

/** Returns the links for a page of a list of known length, and the range of its rows. */
export function listPages(
  visit: Visit,
  path: string,
  { page, rows, total, atLeast = false }: { page: number; rows: number; total: number; atLeast?: boolean },
): ListPages {
  const { before, after } = pagesOf(visit, path, page, total);
  const first = (page - 1) * perListPage + 1;
  const of = count(total) + (atLeast ? '+' : '');
  const shown = rows === 0 ? null : texts.common.shown(count(first), count(first + rows - 1), of);
  return { before, after, shown };
}

/** Returns the address of a list's first page with parameters changed; an empty value removes one. */
export function addressWith(
  { frame, query }: Visit,
  path: string,
  changes: Readonly<Record<string, string>>,
): string {
  const kept = new URLSearchParams(query);
  for (const name of ['done', 'ask', 'id', 'page', 'cursor', 'answer-id']) kept.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') kept.delete(name);
    else kept.set(name, value);
  }
  return `${frame.base}${path}${kept.size === 0 ? '' : `?${kept.toString()}`}`;
}

/** Returns the addresses of the previous and next page. */
export function pagesOf(
  visit: Visit,
  path: string,
  page: number,
  total: number,
): { before: string | null; after: string | null } {
  const at = (other: number): string => {
    const query = new URLSearchParams(visit.query);
    for (const name of ['done', 'answer-id', 'cursor']) query.delete(name);
    if (other === 1) query.delete('page');
    else query.set('page', String(other));
    return `${visit.frame.base}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
  };
  return {
    before: page > 1 ? at(page - 1) : null,
    after: page * perListPage < total && page < lastPage ? at(page + 1) : null,
  };
}

/**
 * Returns the position in the cursor of an address. It is null if there is no cursor, and also, with
 * `notice`, if this list did not create the cursor, so that the first page is shown.
 */
export function positionOf<Position>(
  keyring: Keyring,
  { tenant, query }: Visit,
  list: CursorList<Position>,
): { position: Position | null; notice: Notice | null } {
  const cursor = query.get('cursor');
  const position = cursor === null ? null : openCursor(keyring, tenant, list, cursor);
  const isInvalid = cursor !== null && position === null;
  return { position, notice: isInvalid ? { kind: 'bad', text: texts.common.invalidPage } : null };
}

/** Returns the links for a page of a list; `next` is the position where the next page begins. */
export function cursorPages<Position>(
  keyring: Keyring,
  visit: Visit,
  path: string,
  list: CursorList<Position>,
  next: Position | null,
): CursorPages {
  const { tenant, frame } = visit;
  const query = new URLSearchParams(visit.query);
  for (const name of ['done', 'cursor']) query.delete(name);
  const at = (): string => `${frame.base}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
  const first = visit.query.has('cursor') ? at() : null;
  if (next === null) return { first, next: null };
  query.set('cursor', sealCursor(keyring, tenant, list, next));
  return { first, next: at() };
}

/** Returns a parameter of the address if it is one of the choices; otherwise an empty text. */
export function choiceOf<Choice extends string>(
  { query }: Visit,
  name: string,
  choices: readonly Choice[],
): Choice | '' {
  const given = query.get(name);
  return choices.find((choice) => choice === given) ?? '';
}

const longestQuoted = 40;

const { filters } = texts.common;
type FilterName = keyof typeof filters;

/**
 * Returns the notice that names the ignored, invalid parts of an address's filter; null if there are none.
 * `choices`: the valid values of each filter.
 */
export function ignoredFilters(
  { query }: Visit,
  choices: Readonly<Partial<Record<FilterName, readonly string[]>>>,
  days: readonly FilterName[] = [],
): Notice | null {
  const { ignoredFilters: ignored, unknownChoice, invalidDay } = texts.common;
  const given = (name: string): string => query.get(name) ?? '';
  const quoted = (name: string): string =>
    given(name).length > longestQuoted ? `${given(name).slice(0, longestQuoted)}…` : given(name);
  const wrong = [
    ...(Object.keys(choices) as FilterName[])
      .filter((name) => given(name) !== '' && !choices[name]?.includes(given(name)))
      .map((name) => unknownChoice(filters[name], quoted(name))),
    ...days
      .filter((name) => given(name) !== '' && spanOf(given(name), 'UTC') === null)
      .map((name) => invalidDay(filters[name], quoted(name))),
  ];
  return wrong.length === 0 ? null : { kind: 'bad', text: ignored(wrong.join(' ')) };
}
