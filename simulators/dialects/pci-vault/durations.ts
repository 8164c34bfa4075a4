const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/**
 * Returns the milliseconds of an ISO 8601 duration of days and less (`PT10M`), or of the older form `1h30m`;
 * null for anything else. 0 means without an end.
 */
export function durationMs(text: string): number | null {
  const iso = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S?)?)?$/.exec(text);
  const plain = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?$/.exec(text);
  const match = iso ?? plain;
  if (!match || match.slice(1).every((part) => part === undefined)) return text === '0' ? 0 : null;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return (
    Number(days) * UNITS_MS.d +
    Number(hours) * UNITS_MS.h +
    Number(minutes) * UNITS_MS.m +
    Number(seconds) * UNITS_MS.s
  );
}
