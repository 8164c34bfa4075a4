import type { Logger } from 'pino';
import { type Database, isFenceRefusal } from '../db/server/database.ts';
import { clearAlert, raiseAlert } from '../db/server/operator-alerts.ts';
import { alertAfterFailures, codeOf } from './back-off.ts';

/** Alerts operators to what cannot be checked: a row they can list, and a line in the log. */
export interface SweepAlerts {
  /** A thing whose checks fail again and again. */
  raise(sweep: string, item: { id: string; merchantId: string }, error: unknown): Promise<void>;
  clear(sweep: string, id: string): Promise<void>;
  /** A whole run failed; alerts when it keeps failing. `worked` takes it back. */
  failed(sweep: string, error: unknown): Promise<void>;
  worked(sweep: string): Promise<void>;
}

/**
 * Returns the alerts of a process. None of them throws: the sweep continues, and the next failure alerts
 * again.
 */
export function createSweepAlerts(deps: {
  database: Database;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  now: () => number;
}): SweepAlerts {
  const { database, logger } = deps;
  const now = (): Date => new Date(deps.now());
  /** Failed runs in a row, by sweep. */
  const failedRuns = new Map<string, number>();

  const orLogged = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // Another process leads: it alerts.
      if (isFenceRefusal(error)) return;
      logger.warn({ err: error }, 'an operator alert could not be written');
    }
  };
  const raise = (sweep: string, subject: string, merchantId: string | null, error: unknown) =>
    orLogged(async () => {
      const detail = codeOf(error);
      const isNew = await raiseAlert(database, { sweep, subject, merchantId, detail, since: now() });
      if (isNew) logger.error({ sweep, subject, merchantId, err: error }, 'needs attention: checks fail');
    });
  const clear = (sweep: string, subject: string) =>
    orLogged(async () => {
      if (await clearAlert(database, sweep, subject, now())) {
        logger.info({ sweep, subject }, 'needs attention no more');
      }
    });

  return {
    raise: (sweep, { id, merchantId }, error) => raise(sweep, id, merchantId, error),
    clear,
    async failed(sweep, error) {
      logger.warn({ err: error, sweep }, 'a sweep failed; the next run continues');
      const times = (failedRuns.get(sweep) ?? 0) + 1;
      failedRuns.set(sweep, times);
      if (times >= alertAfterFailures) await raise(sweep, '', null, error);
    },
    async worked(sweep) {
      // Not known: an earlier leader may have raised it.
      if (failedRuns.get(sweep) === 0) return;
      failedRuns.set(sweep, 0);
      await clear(sweep, '');
    },
  };
}
