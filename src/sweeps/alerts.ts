import type { Logger } from 'pino';
import { type Database, isFenceRefusal } from '../db/server/database.ts';
import { clearAlert, raiseAlert } from '../db/server/operator-alerts.ts';
import { alertAfterFailures, codeOf } from './back-off.ts';

/**
 * Alerts operators about items and sweeps whose checks fail: with a row that they can list, and a log line.
 */
export interface SweepAlerts {
  /** Alerts about an item whose checks fail again and again. */
  raise(sweep: string, item: { id: string; merchantId: string }, error: unknown): Promise<void>;
  clear(sweep: string, id: string): Promise<void>;
  /** Notes that a whole run failed, and alerts when it keeps failing; `worked` clears the alert. */
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

  /** Runs a write of an alert. A fault of it is only logged. */
  const orLogged = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // Another process leads, and alerts.
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
      // Without a count in this process, an earlier leader may have raised the alert.
      if (failedRuns.get(sweep) === 0) return;
      failedRuns.set(sweep, 0);
      await clear(sweep, '');
    },
  };
}
