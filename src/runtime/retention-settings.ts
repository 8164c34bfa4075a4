import { z } from 'zod';
import { SettingsError } from './settings-error.ts';

/**
 * The minimum of ARCHIVE_AFTER_MONTHS: by then most events are deleted, and disputes are rare. A payment
 * waits for the last of its events.
 */
const minMonths = 4;
/** The days of the shortest month, so that the comparison with days is safe. */
const daysOfMonth = 28;

/** How long rows are kept. */
export const retentionShape = {
  RETENTION_EVENTS_DAYS: z.coerce
    .number()
    .int()
    .min(7)
    .max(3_650)
    .default(90)
    .describe(
      'Days for which events, their deliveries and seals, and mails are kept, until all of a month is older.',
    ),
  RETENTION_REQUESTS_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(365)
    .default(7)
    .describe('Whole days for which the request log is kept. docs/scaling.md, "Disk".'),
  ARCHIVE_AFTER_MONTHS: z.coerce
    .number()
    .int()
    .min(minMonths, `must be at least ${minMonths} months`)
    .max(1_200)
    .optional()
    .describe(
      'Months after which payments that ended move to the archive: they ' +
        'leave lists and searches, and can be read by id. Must be longer than ' +
        'RETENTION_EVENTS_DAYS. Unset: never. docs/scaling.md, "Archive".',
    ),
};

/** Throws `SettingsError` if payments would be archived before their events are deleted. */
export function refuseEarlyArchive({
  ARCHIVE_AFTER_MONTHS: months,
  RETENTION_EVENTS_DAYS: days,
}: {
  ARCHIVE_AFTER_MONTHS?: number | undefined;
  RETENTION_EVENTS_DAYS: number;
}): void {
  if (months === undefined || months * daysOfMonth > days) return;
  throw new SettingsError(
    `ARCHIVE_AFTER_MONTHS must be longer than RETENTION_EVENTS_DAYS: at least ${Math.floor(days / daysOfMonth) + 1}`,
  );
}
