import { entryNamed } from '../../domain/entry-named.ts';
import { texts } from '../texts/en.ts';

/** Returns US cents as `$1,234.56`. */
export const money = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100);

/**
 * Returns what is left of the money that was taken, in cents: refunds and disputes are subtracted. The net of
 * every page.
 */
export const netOf = (sums: { takenCents: number; refundedCents: number; disputedCents: number }): number =>
  sums.takenCents - sums.refundedCents - sums.disputedCents;

/** Returns a whole number with separators. */
export const count = (value: number): string => new Intl.NumberFormat('en-US').format(value);

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns an instant in a time zone, such as `12 Mar 2030, 14:05`; with seconds if `precise`. */
export function instant(at: Date, timeZone: string, precise = false): string {
  const key = `${timeZone} ${precise}`;
  const known = formats.get(key);
  const format =
    known ??
    new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(precise ? { second: '2-digit' as const } : {}),
      timeZone,
    });
  if (known === undefined) formats.set(key, format);
  return format.format(at);
}

/** Returns the time of day of an instant, such as `14:05`; with seconds if `precise`. */
export const clockTime = (at: Date, timeZone: string, precise = false): string =>
  instant(at, timeZone, precise).replace(/^.*, /, '');

/** Returns the day of an instant, such as `12 Mar 2030`. */
export const dayOf = (at: Date, timeZone: string): string => instant(at, timeZone).replace(/, .*$/, '');

/** Returns an instant as lists show it: without its year within the last months, with it if it is older. */
export function shortInstant(at: Date, timeZone: string, nowMs: number): string {
  const written = instant(at, timeZone);
  const year = / \d{4}(?=,)/;
  return year.exec(written)?.[0] === year.exec(instant(new Date(nowMs), timeZone))?.[0]
    ? written.replace(year, '')
    : written;
}

/** Returns the time between now and an instant in whole minutes, hours or days, in the most readable unit. */
function apart(at: Date, nowMs: number): [value: number, unit: 'minute' | 'hour' | 'day'] {
  const minutes = Math.round((at.getTime() - nowMs) / 60_000);
  if (Math.abs(minutes) < 60) return [minutes, 'minute'];
  if (Math.abs(minutes) < 48 * 60) return [Math.round(minutes / 60), 'hour'];
  return [Math.round(minutes / 1_440), 'day'];
}

/** Returns the distance of an instant from now, such as `in 3 days` or `2 hours ago`. */
export function distance(at: Date, nowMs: number): string {
  const [value, unit] = apart(at, nowMs);
  if (value === 0) return texts.common.justNow;
  return new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' }).format(value, unit);
}

/** Returns the time left until an instant, such as `7 days left`. */
export function timeLeft(at: Date, nowMs: number): string {
  const [value, unit] = apart(at, nowMs);
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return texts.common.left(new Intl.NumberFormat('en-US', style).format(Math.max(value, 0)));
}

/** Returns the label of an API name: `Requires action` for `requiresAction`. */
export function labelOf(name: string): string {
  const label = entryNamed<string>(texts.labels, name);
  if (label !== undefined) return label;
  const spaced = name
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns cents as they are typed, such as `10.00`. */
export const typedCents = (cents: number): string => (cents / 100).toFixed(2);

/** Returns typed dollars (`10`, `10.00`, `$1,000.50`) in cents; null for anything else. */
export function centsOf(typed: string): number | null {
  const plain = typed
    .trim()
    .replace(/^\$/, '')
    .replaceAll(/,(?=\d{3}(\D|$))/g, '');
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  return Math.round(Number(plain) * 100);
}
