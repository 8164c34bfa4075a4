import type { Logger } from 'pino';
import type { DatabaseClock } from '../db/server/database-clock.ts';
import { isFenceRefusal } from '../db/server/database.ts';
import { type DueCondition, readDueWork } from '../db/server/due-work.ts';
import { type IsDue, everythingIsDue } from './sweep.ts';

/**
 * Reads PostgreSQL's time, and which of these conditions hold, before a role's sweeps run. Throws the refusal
 * of PostgreSQL when the term has ended.
 */
export type CheckDue = (
  led: { role: string; term: number },
  conditions: readonly DueCondition[],
) => Promise<IsDue>;

/**
 * Returns the due check of a process: one statement for all sweeps of a role. When PostgreSQL refuses the
 * statement, everything counts as due, so that a condition that fails stops no other sweep. Throws when
 * PostgreSQL does not answer.
 */
export function createDueCheck(clock: DatabaseClock, logger: Pick<Logger, 'warn'>): CheckDue {
  return async (led, conditions) => {
    try {
      const { due } = await clock.syncWith((connection) => readDueWork(connection, led, conditions));
      return (condition) => due.has(condition);
    } catch (error) {
      if (isFenceRefusal(error)) throw error;
      logger.warn({ err: error, role: led.role }, 'what is due could not be read: everything is checked');
      await clock.sync();
      return everythingIsDue;
    }
  };
}
