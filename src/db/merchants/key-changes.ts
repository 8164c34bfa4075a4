import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Pause before a lost connection is reopened, in ms. */
const reopenMs = 1_000;

/**
 * Calls `onChange` whenever a key, a merchant or its settings changed, and whenever a change may have been
 * missed, until `stopping`. Holds one connection and reopens it when it is lost. Resolves when it has
 * stopped.
 */
export async function watchKeyChanges(
  url: string,
  onChange: () => void,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'card-payments-api-keys',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', onChange);
    try {
      await client.connect();
      await client.query('LISTEN key_changes');
      onChange();
      await lost;
    } catch {
      // PostgreSQL is unreachable now. Cached entries expire soon in any case.
    }
    await client.end().catch(() => undefined);
    onChange();
    await sleep(reopenMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}
