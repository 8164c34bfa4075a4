import type { Notice } from './view.ts';
import { isoDay } from './days.ts';
import type { Visit } from '../visit.ts';

/** Rows of one page. */
export const perPage = 25;
/** The last page that is looked up. */
const lastPage = 1_000;

/** Returns the page an address asks for; the first one for whatever is no page. */
export function pageOf({ query }: Visit): number {
  const text = query.get('page') ?? '';
  return /^[1-9]\d{0,3}$/.test(text) ? Math.min(Number(text), lastPage) : 1;
}

/** Returns the address of a list with its filter, without what was only said or asked on it. */
export function addressOf({ frame, query }: Visit, path: string): string {
  const kept = new URLSearchParams(query);
  for (const name of ['done', 'ask', 'id']) kept.delete(name);
  return `${frame.base}${path}${kept.size === 0 ? '' : `?${kept.toString()}`}`;
}

/** Returns the addresses of the pages before and after. */
export function pagesOf(
  visit: Visit,
  path: string,
  page: number,
  total: number,
): { before: string | null; after: string | null } {
  const at = (other: number): string => {
    const query = new URLSearchParams(visit.query);
    query.delete('done');
    query.set('page', String(other));
    return `${visit.frame.base}${path}?${query.toString()}`;
  };
  return {
    before: page > 1 ? at(page - 1) : null,
    after: page * perPage < total && page < lastPage ? at(page + 1) : null,
  };
}

/** Returns a parameter of the address that is one of a few words; empty for any other. */
export function choiceOf<Word extends string>(
  { query }: Visit,
  name: string,
  words: readonly Word[],
): Word | '' {
  const text = query.get(name);
  return words.find((word) => word === text) ?? '';
}

/** Returns a day of the address, `YYYY-MM-DD`; empty for anything else. */
export const dayOf = ({ query }: Visit, name: string): string => isoDay(query.get(name) ?? '');

const longestQuoted = 40;

/**
 * Returns the line that names the parts of an address’s filter that mean nothing and were left out; null for
 * none. `words`: what each of its choices may be.
 */
export function ignoredFilters(
  { query }: Visit,
  words: Readonly<Record<string, readonly string[]>>,
  days: readonly string[] = [],
): Notice | null {
  const given = (name: string): string => query.get(name) ?? '';
  const quoted = (name: string): string =>
    given(name).length > longestQuoted ? `${given(name).slice(0, longestQuoted)}…` : given(name);
  const wrong = [
    ...Object.keys(words)
      .filter((name) => given(name) !== '' && !words[name]?.includes(given(name)))
      .map((name) => `${name} “${quoted(name)}” is not known`),
    ...days
      .filter((name) => given(name) !== '' && isoDay(given(name)) === '')
      .map((name) => `${name} “${quoted(name)}” is no day such as 2030-01-31`),
  ];
  return wrong.length === 0 ? null : { kind: 'bad', text: `Left out of the filter: ${wrong.join('; ')}.` };
}
