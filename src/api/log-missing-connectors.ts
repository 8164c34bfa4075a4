import type { Logger } from 'pino';
import { countLiveWithoutConnector } from '../db/merchants/connectors.ts';
import type { Database } from '../db/server/database.ts';

/**
 * Logs once, after the check of the database (`checked`), how many merchants have their live payments refused
 * because they have no network connector. For `DEPLOYMENT=production`; docs/going-live.md, "Check list".
 */
export async function logMissingConnectors(
  database: Database,
  logger: Pick<Logger, 'info'>,
  checked: Promise<void>,
): Promise<void> {
  try {
    await checked;
    const merchants = await countLiveWithoutConnector(database);
    logger.info({ merchants }, 'live payments are refused for merchants without a connector');
  } catch {
    // The server already reports what is wrong with the database.
  }
}
