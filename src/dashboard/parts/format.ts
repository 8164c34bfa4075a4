/** Returns US cents as `$1,234.56`. */
export const money = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100);

/** Returns a whole number with separators. */
export const count = (value: number): string => new Intl.NumberFormat('en-US').format(value);

/** Returns an instant in UTC, such as `12 Mar 2030, 14:05 UTC`, with its second where that matters. */
export const instant = (at: Date, precise = false): string =>
  `${new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(precise ? { second: '2-digit' as const } : {}),
    timeZone: 'UTC',
  }).format(at)} UTC`;

/** Returns how far off an instant is, such as `in 3 days` or `2 hours ago`. */
export function distance(at: Date, nowMs: number): string {
  const minutes = Math.round((at.getTime() - nowMs) / 60_000);
  const format = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
  if (Math.abs(minutes) < 60) return format.format(minutes, 'minute');
  if (Math.abs(minutes) < 48 * 60) return format.format(Math.round(minutes / 60), 'hour');
  return format.format(Math.round(minutes / 1_440), 'day');
}

/** Returns a word of the API in words: `requiresAction` as `Requires action`. */
export function labelOf(text: string): string {
  const spaced = text
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Reads dollars as somebody types them (`10`, `10.00`, `$1,000.50`) as cents; null when it is no amount. */
export function centsOf(text: string): number | null {
  const plain = text
    .trim()
    .replace(/^\$/, '')
    .replaceAll(/,(?=\d{3}(\D|$))/g, '');
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(plain)) return null;
  return Math.round(Number(plain) * 100);
}
