import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestRun } from '../../src/db/reconciliation/runs.ts';
import { workflowTypes } from '../../src/temporal/contract/ids.ts';
import { withDatabase } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { origins } from './providers.ts';
import { databaseUrl } from './simulated-postgres.ts';
import type { World } from './world.ts';

/** When an operator requests a comparison, each in ms after the last one. */
const reconcileAfterMs = [10_000, 8_000, 6_000] as const;

/** The workflows that continue as new when their history is long. */
const longTypes: readonly string[] = [workflowTypes.reconciliation, workflowTypes.replayWebhooks];

/**
 * Begins the work whose workflows continue as new: an operator compares the payments since `since` with the
 * network, and the shop gets all webhooks again at `replayAtMs` (epoch ms).
 */
export async function beginLongWork({ shop }: World, since: Date, replayAtMs: number): Promise<void> {
  for (const afterMs of reconcileAfterMs) {
    await sleep(afterMs);
    const span = { from: since, to: new Date() };
    await withDatabase(databaseUrl, (database) => requestRun(database, randomUUID(), shop.tenant, span));
  }
  await sleep(Math.max(0, replayAtMs - Date.now()));
  await fetch(`${origins.api}/v1/webhook-endpoints/${shop.endpointId}/replay`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ since: since.toISOString(), status: 'all' }),
  }).catch(() => undefined);
}

/** Checks that this work has ended, and that what one run left over was done by the next. */
export async function checkLongWork({ temporal }: World): Promise<Violation[]> {
  const open = [...temporal.openRuns()].filter(({ start }) => longTypes.includes(start.type));
  const running = await withDatabase(databaseUrl, (database) =>
    database.query<{ id: string }>(`SELECT id FROM reconciliation_runs WHERE status = 'running'`),
  );
  const unfinished = [
    ...open.map(({ start }) => `a run of ${start.type}`),
    ...running.rows.map(({ id }) => `reconciliation ${id}`),
  ];
  return unfinished.map((what) => ({ invariant: 'I17', paymentId: null, detail: `not over: ${what}` }));
}
