import { setTimeout as wait } from 'node:timers/promises';
import type { Database, Queryable } from './database.ts';
import { raiseAlert } from './operator-alerts.ts';

/** The name of the alert while writes are held. */
const alertSweep = 'restored rows';
/** Pause between two reads by a process, in ms. */
const readEveryMs = 2_000;

/** The leader's progress in comparing the rows with Temporal, and whether writes are held. */
export interface RestoreWatch {
  /** Everything that Temporal began before this was compared; null if nothing was compared yet. */
  comparedUntil: Date | null;
  /** When rows were found to be older than the state of Temporal or a network; null if they are not. */
  heldSince: Date | null;
  /** The instant from which on data may be lost. */
  lostSince: Date | null;
  /** When an operator last ended the hold. Payments that began before this are not reported missing again. */
  endedAt: Date | null;
}

/** Returns the state of the comparison. */
export async function readRestoreWatch(database: Queryable): Promise<RestoreWatch> {
  const { rows } = await database.query<RestoreWatch>(
    `SELECT compared_until AS "comparedUntil", held_since AS "heldSince", lost_since AS "lostSince",
       ended_at AS "endedAt"
     FROM restore_watch`,
  );
  const [watch] = rows;
  if (!watch) throw new Error('the table restore_watch has no row');
  return watch;
}

/** Records that everything that Temporal began before `until` has been compared. */
export async function recordCompared(database: Queryable, until: Date): Promise<void> {
  await database.query('UPDATE restore_watch SET compared_until = $1', [until]);
}

/**
 * Holds every write that makes or moves money, and raises the alert `restored rows`. Returns whether writes
 * were not held before. ADR 0062.
 */
export async function holdWrites(
  database: Queryable,
  { lostSince, detail }: { lostSince: Date; detail: string },
): Promise<boolean> {
  const { rows } = await database.query<{ since: Date; isNew: boolean }>(
    `UPDATE restore_watch w SET held_since = coalesce(w.held_since, clock_timestamp()),
       lost_since = least(w.lost_since, $1)
     FROM (SELECT held_since IS NULL AS is_new FROM restore_watch) AS before
     RETURNING w.held_since AS since, before.is_new AS "isNew"`,
    [lostSince],
  );
  const [held] = rows;
  if (!held) throw new Error('the table restore_watch has no row');
  await raiseAlert(database, {
    sweep: alertSweep,
    subject: '',
    merchantId: null,
    detail,
    since: held.since,
  });
  return held.isNew;
}

/** Ends the hold and its alert. Whatever began until now and is still missing is no longer reported. */
export async function endHold(database: Queryable): Promise<void> {
  await database.query(
    `WITH ended AS (UPDATE operator_alerts SET cleared_at = clock_timestamp()
       WHERE sweep = $1 AND subject = '' AND cleared_at IS NULL)
     UPDATE restore_watch SET held_since = NULL, lost_since = NULL, ended_at = clock_timestamp()`,
    [alertSweep],
  );
}

/** Whether writes are held, as far as this process knows. */
export interface Hold {
  begun: boolean;
}

/**
 * Keeps `hold` up to date until it is stopped, with one statement every two seconds, so that no request needs
 * to read it. While PostgreSQL does not answer, the last value stays in force.
 */
export function watchHold(
  deps: { database: Database; logger: { warn: (facts: object, text: string) => void } },
  hold: Hold,
  stopping: AbortSignal,
): Promise<void> {
  const { database, logger } = deps;
  const read = async (): Promise<void> => {
    const before = hold.begun;
    hold.begun = (await readRestoreWatch(database)).heldSince !== null;
    if (hold.begun === before) return;
    logger.warn(
      { held: hold.begun },
      hold.begun
        ? 'rows are older than what Temporal knows: writes that make or move money are refused'
        : 'writes that make or move money are accepted again',
    );
  };
  return (async () => {
    while (!stopping.aborted) {
      await read().catch(() => undefined);
      await wait(readEveryMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    }
  })();
}
