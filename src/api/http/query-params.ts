import * as z from 'zod';
import { unknownName } from '../../domain/sent-names.ts';
import { failure, type InputFailure } from './input.ts';

/* Query parameters as zod schemas of their decoded, non-empty text. Each message completes "<name> …". */

/** A decimal integer in its only plain spelling: no sign, no leading zero, no `20.0` (AMB-25). */
export const integerParam = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,15})$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
};

/** A UUID, converted to lower case: an upper-case one is the same id (AMB-41). */
export const uuidParam = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, { error: 'must be a UUID' })
  .toLowerCase();

/** A calendar day `YYYY-MM-DD`, as the instant at which it starts in UTC. LIST-03, LIST-06. */
export const utcDayParam = z
  .string()
  .refine(isCalendarDay, { error: 'must be a date YYYY-MM-DD', abort: true })
  .transform(startOfUtcDay);

/**
 * An instant in ISO 8601 with its zone, or a day `YYYY-MM-DD` in UTC, converted to a span: `start` is
 * inclusive and `end` is exclusive. An instant is a span of one millisecond.
 */
export const instantOrDay = z
  .string()
  .refine((text) => isCalendarDay(text) || readInstant(text) !== null, {
    error: 'must be an instant such as 2026-03-01T12:00:00Z, or a date YYYY-MM-DD',
    abort: true,
  })
  .transform((text) => {
    const start = readInstant(text) ?? startOfUtcDay(text);
    return { start, end: new Date(start.getTime() + (isCalendarDay(text) ? 86_400_000 : 1)) };
  });

/** An instant in ISO 8601 with its zone. */
export const instantParam = z
  .string()
  .refine((text) => readInstant(text) !== null, {
    error: 'must be an instant such as 2026-03-01T12:00:00Z',
    abort: true,
  })
  .transform((text) => readInstant(text) ?? new Date(Number.NaN));

const instantPattern =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;

function readInstant(text: string): Date | null {
  const day = instantPattern.exec(text)?.[1];
  if (day === undefined || !isCalendarDay(day)) return null;
  const instant = new Date(text);
  return Number.isFinite(instant.getTime()) ? instant : null;
}

function startOfUtcDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

function isCalendarDay(day: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(day)) return false;
  const start = startOfUtcDay(day);
  // Engines may read 30 February as 2 March; only a real day is formatted back to the same text.
  return Number.isFinite(start.getTime()) && start.toISOString().startsWith(day);
}

/**
 * Splits a raw query string (with or without `?`) into its parameters. Refuses an unknown, repeated or empty
 * parameter and bad percent-encoding. `field` is the parameter's name if it is one of `names`, else `query`.
 * It is strict because a mistyped filter that returns everything is dangerous (AMB-25).
 */
export function splitQuery(
  search: string,
  names: readonly string[],
): { ok: true; params: Record<string, string> } | InputFailure {
  const params = new Map<string, string>();
  const query = search.startsWith('?') ? search.slice(1) : search;
  for (const pair of query === '' ? [] : query.split('&')) {
    const split = pair.indexOf('=');
    const name = decode(split === -1 ? pair : pair.slice(0, split));
    const value = decode(split === -1 ? '' : pair.slice(split + 1));
    if (name === undefined || value === undefined)
      return failure('query', 'The query string is not valid percent-encoded UTF-8.');
    if (!names.includes(name)) {
      const otherwise = `This endpoint takes ${names.join(', ')}.`;
      return failure('query', unknownName({ kind: 'query parameter', name, known: names, otherwise }));
    }
    if (params.has(name)) return failure(name, `${name} must be given once`);
    if (value === '') return failure(name, `${name} must not be empty`);
    params.set(name, value);
  }
  return { ok: true, params: Object.fromEntries(params) };
}

/** Form decoding (`+` is a space). Returns `undefined` for a stray `%` or bytes that are not UTF-8. */
function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
