import { setTimeout as sleep } from 'node:timers/promises';
import { withDatabase } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { Random } from '../support/harness/random.ts';
import { databaseUrl } from './simulated-postgres.ts';

/** The share of the seeds that are played until the last card is due to be deleted. */
const share = 0.4;
/** How long after that the sweep may take, in ms, and how long a seed waits for it at most. */
const sweptWithinMs = 45_000;
const longestMs = 1_200_000;

/**
 * In some seeds, waits until the vault was called to delete the cards of all payments, which is due minutes
 * after their deadlines. Checks I9: none is kept longer.
 */
export async function awaitCardDeletion(seed: number): Promise<Violation[]> {
  if (!new Random(Math.imul(seed, 0x9e3779b1) ^ 0x4cf5ad43).chance(share)) return [];
  const untilMs = Date.now() + longestMs;
  for (;;) {
    const { dueAtMs, ids } = await storedCards();
    if (dueAtMs === null) return [];
    if (dueAtMs + sweptWithinMs < Date.now() || Date.now() > untilMs) {
      return ids.map((paymentId) => ({
        invariant: 'I9',
        paymentId,
        detail: 'its card is still at the vault',
      }));
    }
    await sleep(Math.max(10_000, dueAtMs - Date.now()));
  }
}

/** Returns the payments whose cards a vault stores, and when the last deletion is due. */
const storedCards = (): Promise<{ dueAtMs: number | null; ids: string[] }> =>
  withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ dueAtMs: number | null; ids: string[] }>(
      `SELECT (extract(epoch FROM max(next_check_at)) * 1000)::float8 AS "dueAtMs",
         coalesce(array_agg(payment_id::text), '{}') AS ids FROM captured_cards`,
    );
    return rows[0] ?? { dueAtMs: null, ids: [] };
  });
