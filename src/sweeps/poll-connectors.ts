import pMap from 'p-map';
import { type ConnectorRecord, listConnectors } from '../db/merchants/connectors.ts';
import type { Database } from '../db/server/database.ts';
import { checksAtOnce } from './process-due.ts';

/** Connectors read at a time. */
const connectorsAtOnce = 100;
/** How often the lists of connectors are read, in ms. Their webhooks arrive sooner. */
const pollEveryMs = 60_000;

/**
 * Returns the function that polls one list of each connector with `poll`, several at a time, at most once a
 * minute in this process. A connector that fails or is slow does not block the others, but the function
 * returns only when all are done. It throws then if any failed.
 */
export function pollEachConnector(deps: {
  /** The name of the listed things, for the error. */
  what: string;
  database: Database;
  now: () => number;
  poll: (connector: ConnectorRecord, going: () => boolean) => Promise<void>;
}): (going: () => boolean) => Promise<void> {
  const { database, now, poll } = deps;
  /** When the lists were read last, in this process. */
  let polledAt = 0;
  return async (going) => {
    if (now() - polledAt < pollEveryMs) return;
    polledAt = now();
    let afterId: string | null = null;
    const failures: { id: string; error: unknown }[] = [];
    do {
      const page: ConnectorRecord[] = await listConnectors(database, {}, afterId, connectorsAtOnce);
      afterId = page.length < connectorsAtOnce ? null : (page.at(-1)?.id ?? null);
      await pMap(
        page,
        async (connector) => {
          if (!going()) return;
          await poll(connector, going).catch((error: unknown) => {
            failures.push({ id: connector.id, error });
          });
        },
        { concurrency: checksAtOnce },
      );
    } while (afterId !== null && going());
    const [first] = failures;
    if (first) {
      throw new Error(
        `${failures.length} connectors did not return their ${deps.what}, the first one is ${first.id}`,
        { cause: first.error },
      );
    }
  };
}
