/** Returns a text that is a day of the calendar, `YYYY-MM-DD`; otherwise nothing. */
export function isoDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return '';
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : '';
}

/** Returns the instant of a `datetime-local` field, taken as UTC; null when it is none. */
export function utcInstant(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return null;
  const at = new Date(`${text}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}
