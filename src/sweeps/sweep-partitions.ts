import type { Logger } from 'pino';
import type { Database } from '../db/server/database.ts';
import { clearAlert, raiseAlert } from '../db/server/operator-alerts.ts';
import { daysCovered } from '../db/server/partition-plan.ts';
import { listRequestPartitions, maintainRequestPartitions } from '../db/server/request-partitions.ts';
import type { Sweep } from './sweep.ts';

/** Partitions are made three days in advance, so ten minutes between turns are short enough. */
const everyMs = 10 * 60_000;
/** With fewer days than this in advance, the operator is alerted. */
const minDaysAhead = 2;
const name = 'partitions';

/**
 * Returns the sweep that creates the partitions of the next three days and drops those past their retention.
 * A run that fails is repeated at the next turn, long before a partition is needed. Operators are alerted
 * when fewer than two days have one. Requests of a day without a partition go to the default one. `now`:
 * PostgreSQL's clock, epoch ms. ADR 0071.
 */
export function createPartitionSweep(deps: {
  database: Database;
  now: () => number;
  /** How long requests are kept. */
  requestsDays: number;
  logger: Pick<Logger, 'error' | 'info'>;
}): Sweep {
  const { database, requestsDays: keptDays, logger } = deps;

  async function alertIfFew(): Promise<void> {
    const at = new Date(deps.now());
    const subject = 'api_requests';
    const ahead = daysCovered(await listRequestPartitions(database), at);
    if (ahead >= minDaysAhead) return void (await clearAlert(database, name, subject, at));
    const alert = { sweep: name, subject, merchantId: null, detail: 'fewer_than_two_ahead', since: at };
    if (await raiseAlert(database, alert)) {
      logger.error({ sweep: name, subject, ahead }, 'needs attention: partitions are missing');
    }
  }

  return {
    name,
    role: 'payments',
    everyMs,
    run: async (going) => {
      try {
        const made = await maintainRequestPartitions(database, { at: new Date(deps.now()), keptDays, going });
        if (made.create.length + made.drop.length > 0) logger.info(made, 'partitions made and dropped');
      } finally {
        await alertIfFew();
      }
    },
  };
}
