import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import { alertMissingLeaders, expectLeaders, recordLeader, takeTerm } from '../db/server/sweep-leaders.ts';
import type { LeaderRegistry } from './run-sweeps.ts';

/**
 * Returns the registry of a process with these roles. `process`: its name in the records. Every process of a
 * role alerts when the role has had no leader for a minute, because the leader, which writes all other
 * alerts, cannot alert then.
 */
export function createLeaderRegistry(deps: {
  database: Database;
  roles: readonly string[];
  process: string;
  logger: Pick<Logger, 'info' | 'warn'>;
}): LeaderRegistry {
  const { database, roles, logger } = deps;
  let expected = false;
  return {
    async takeTerm(role) {
      try {
        return await takeTerm(database, role, deps.process);
      } catch (error) {
        logger.warn({ err: error, role }, 'the term of a leader could not begin; it is tried again');
        return null;
      }
    },
    async note(led) {
      try {
        if (!expected) await expectLeaders(database, roles);
        expected = true;
        const current = led.size > 0 ? await recordLeader(database, led) : new Set();
        const { raised, cleared } = await alertMissingLeaders(database);
        for (const role of raised) logger.warn({ role }, 'no leader: the sweeps of this role do not run');
        for (const role of cleared) logger.info({ role }, 'the sweeps of this role have a leader again');
        return [...led.keys()].every((role) => current.has(role));
      } catch (error) {
        logger.warn({ err: error }, 'the leader of the sweeps could not be noted');
        return true;
      }
    },
  };
}
