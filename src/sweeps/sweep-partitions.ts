import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import type { Retention } from '../db/server/leftovers.ts';
import { clearAlert, raiseAlert } from '../db/server/operator-alerts.ts';
import { allPartitioned, maintainPartitions, partitionsAhead } from '../db/server/partitions.ts';
import type { Sweep } from './sweep.ts';

/** Partitions are made three periods in advance, so ten minutes between turns are short enough. */
const everyMs = 10 * 60_000;
/** With fewer periods than this in advance, the operator is alerted. */
const minAhead = 2;
const name = 'partitions';

/**
 * Returns the sweep that creates the partitions of the next three days of requests and three months of
 * events, and drops those past their retention. A run that fails is repeated at the next turn, long before a
 * partition is needed. Operators are alerted when fewer than two of a table's next three have one. Rows
 * without a partition go to the default one. `now`: PostgreSQL's clock, epoch ms. ADR 0071 and 0083.
 */
export function createPartitionSweep(deps: {
  database: Database;
  now: () => number;
  retention: Retention;
  logger: Pick<Logger, 'error' | 'info'>;
}): Sweep {
  const { database, retention, logger } = deps;

  async function alertIfFew(): Promise<void> {
    const at = new Date(deps.now());
    for (const { table: subject, ahead } of await partitionsAhead(database, at)) {
      if (ahead >= minAhead) {
        await clearAlert(database, name, subject, at);
        continue;
      }
      const alert = { sweep: name, subject, merchantId: null, detail: 'fewer_than_two_ahead', since: at };
      if (await raiseAlert(database, alert)) {
        logger.error({ sweep: name, subject, ahead }, 'needs attention: partitions are missing');
      }
    }
  }

  return {
    name,
    role: 'payments',
    everyMs,
    run: async (going) => {
      try {
        const work = { at: new Date(deps.now()), retention, going };
        const made = await maintainPartitions(database, allPartitioned, work);
        if (made.create.length + made.drop.length > 0) logger.info(made, 'partitions made and dropped');
      } finally {
        await alertIfFew();
      }
    },
  };
}
