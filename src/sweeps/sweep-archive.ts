import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { archivePayments, firstId, moveBackReported } from '../db/payments/archive.ts';
import type { Database } from '../db/server/database.ts';
import type { Sweep } from './sweep.ts';

/** Archiving is due in months, so an hour between turns is short enough. */
const everyMs = 60 * 60_000;
/** Payments that are checked in one transaction. */
const batch = 100;

/**
 * Returns the sweep that archives payments which ended more than `months` ago, in batches of one transaction
 * each. Between two batches it pauses for as long as the last one took, so that it uses at most half of the
 * time of one connection. Each turn begins at the oldest payment: payments that may not be archived yet are
 * read again, and a payment that was moved back is archived again. ADR 0078.
 */
export function createArchiveSweep(deps: {
  database: Database;
  months: number;
  logger: Pick<Logger, 'info'>;
}): Sweep {
  const { database, months, logger } = deps;
  return {
    name: 'archive',
    role: 'payments',
    everyMs,
    run: async (going) => {
      await moveBackReported(database, batch);
      let archived = 0;
      try {
        for (let after: string | null = firstId; after !== null && going();) {
          const begun = performance.now();
          const done: { moved: number; next: string | null } = await archivePayments(database, {
            after,
            months,
            batch,
          });
          archived += done.moved;
          after = done.next;
          if (after !== null) await wait(performance.now() - begun);
        }
      } finally {
        if (archived > 0) logger.info({ payments: archived }, 'payments archived');
      }
    },
  };
}
