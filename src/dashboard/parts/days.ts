/** Returns the text if it is a day of the calendar, `YYYY-MM-DD`; otherwise an empty text. */
export function isoDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return '';
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : '';
}

/**
 * Names of ICU that the IANA database does not have. To PostgreSQL they are unknown, or mean another zone:
 * IST is Israel's time there and India's in ICU.
 */
const icuOnlyName =
  /^(SystemV\/.+|US\/Pacific-New|(?!(CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$)[A-Z]{3})$/i;

/** Whether a text is the IANA name of a time zone that this platform knows, such as `America/Sao_Paulo`. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text) || icuOnlyName.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Returns the stored time zone; UTC if this version of the platform, or PostgreSQL, does not know it. */
export const usableZone = (stored: string | undefined): string =>
  stored !== undefined && isTimeZone(stored) ? stored : 'UTC';

/** Time zones begin later than this, and before the calendar reform the days have other numbers. */
const firstZonedMs = Date.UTC(1800, 0, 1);

/** Returns by how many ms the clocks of a zone are ahead of UTC at an instant. */
function aheadMs(instant: Date, timeZone: string): number {
  const at = new Date(Math.max(instant.getTime(), firstZonedMs));
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = new Date(0);
  local.setUTCFullYear(of('year'), of('month') - 1, of('day'));
  local.setUTCHours(of('hour'), of('minute'), of('second'));
  return local.getTime() - Math.floor(at.getTime() / 1_000) * 1_000;
}

/**
 * Returns the instant at which clocks in a zone show a local time (`2030-01-31T14:05`). If they show it
 * twice, because they are turned back, returns the first. Null if the text is not a local time.
 */
export function zonedInstant(text: string, timeZone: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text) || isoDay(text.slice(0, 10)) === '') {
    return null;
  }
  const local = Date.parse(`${text}Z`);
  if (Number.isNaN(local)) return null;
  const guess = local - aheadMs(new Date(local), timeZone);
  return new Date(local - aheadMs(new Date(guess), timeZone));
}

/** Returns the instant at which a day (`2030-01-31`) begins in a zone. */
export const dayStart = (day: string, timeZone: string): Date =>
  zonedInstant(`${day}T00:00`, timeZone) ?? new Date(`${day}T00:00:00Z`);

const offsets = new Map<string, string>();

/**
 * Returns how far a zone is from UTC, such as `GMT-3`; both offsets, such as `GMT-5/-4`, if its clocks change
 * within the year.
 */
export function zoneOffset(timeZone: string, nowMs: number): string {
  if (timeZone === 'UTC') return timeZone;
  const year = new Date(nowMs).getUTCFullYear();
  const key = `${timeZone} ${year}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'shortOffset' });
  const [winter = '', summer = ''] = [0, 6].map((month) =>
    format
      .formatToParts(new Date(Date.UTC(year, month, 1)))
      .find(({ type }) => type === 'timeZoneName')
      ?.value.replace(/^GMT\+0$/, 'GMT'),
  );
  const offset = winter === summer ? winter : `${winter}/${summer.replace('GMT', '') || '0'}`;
  offsets.set(key, offset);
  return offset;
}

/** Returns the day of the calendar that an instant has in a zone. */
export const dayOfInstant = (at: Date, timeZone: string): string =>
  new Date(at.getTime() + aheadMs(at, timeZone)).toISOString().slice(0, 10);

/** Returns the first day of a day's month. */
export const startOfMonth = (day: string): string => `${day.slice(0, 8)}01`;

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns the span of a day in a zone, or of an instant (`2030-01-31T14:05:00Z`), which lasts a millisecond;
 * null for any other text.
 */
export function spanOf(text: string, timeZone: string): { start: Date; end: Date } | null {
  if (isoDay(text) !== '') return { start: dayStart(text, timeZone), end: dayStart(nextDay(text), timeZone) };
  const at = Date.parse(text);
  if (!instantPattern.test(text) || Number.isNaN(at)) return null;
  return { start: new Date(at), end: new Date(at + 1) };
}

/** Returns the day of the calendar before another one. */
export const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** Returns the next day of the calendar; the last day returns itself. */
export const nextDay = (day: string): string =>
  day === '9999-12-31'
    ? day
    : new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
