import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import { alertMissingLeaders, expectLeaders, noteLeader } from '../db/server/sweep-leaders.ts';
import type { LeaderNotes } from './run-sweeps.ts';

/**
 * Returns the notes of a process of these roles, under its name. Every process of a role alerts to a leader
 * that is missing for a minute: the leader, which writes the other alerts, is the one that is missing.
 */
export function createLeaderNotes(deps: {
  database: Database;
  roles: readonly string[];
  process: string;
  logger: Pick<Logger, 'info' | 'warn'>;
}): LeaderNotes {
  const { database, roles, logger } = deps;
  let expected = false;
  return {
    async note(led) {
      try {
        if (!expected) await expectLeaders(database, roles);
        expected = true;
        if (led.length > 0) await noteLeader(database, led, deps.process);
        const { raised, cleared } = await alertMissingLeaders(database);
        for (const role of raised) logger.warn({ role }, 'no leader: the sweeps of this role do not run');
        for (const role of cleared) logger.info({ role }, 'the sweeps of this role have a leader again');
      } catch (error) {
        logger.warn({ err: error }, 'the leader of the sweeps could not be noted');
      }
    },
  };
}
