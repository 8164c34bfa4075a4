/** The id of an event. */
export const eventIdPattern = /^evt_[0-9A-Za-z]{24}$/;

/**
 * The beginning of ids that have a time. Ids of earlier builds are random, and begin with five zeros once in
 * 900 million events.
 */
const timed = 'evt_00000';
const timeDigits = 10;
const timedId = new RegExp(`^${timed}(\\d{${timeDigits}})`);

/** The number of random base62 characters in an event's id: 10^16 ids in each second. */
export const randomPart = 9;

/**
 * Returns the id of an event that happened at an instant: five zeros, the seconds since 1970 in ten digits,
 * and the given random characters. An event is stored in the partition of the month of its id, so ids must
 * sort by time in every collation, and only decimal digits do: Czech sorts `ch` after `h`. Pure. ADR 0083.
 */
export function eventIdAt(at: Date, random: string): string {
  const seconds = Math.min(Math.max(Math.floor(at.getTime() / 1_000), 0), 10 ** timeDigits - 1);
  return `${timed}${String(seconds).padStart(timeDigits, '0')}${random}`;
}

/** Returns the time in an event's id, or in the beginning of one; null for an id of an earlier build. */
export function timeOfEventId(id: string): Date | null {
  const seconds = timedId.exec(id)?.[1];
  return seconds === undefined ? null : new Date(Number(seconds) * 1_000);
}
