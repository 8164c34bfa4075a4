import pMap from 'p-map';
import type { Tenant } from '../db/payments/payments.ts';
import type { Database } from '../db/server/database.ts';
import { nextSealHeads, sealsAreDue } from '../db/webhooks/event-seals.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** Merchants that are checked in one turn, and seals per merchant and turn. */
const headsOfTurn = 1_000;
const sealsOfTurn = 20;
const atOnce = 4;

/**
 * Returns the sweep that seals new events. Each turn continues after the merchant at which the last one
 * ended. A merchant whose events cannot be sealed does not block the others. ADR 0066.
 */
export function createEventSealSweep(deps: {
  database: Database;
  everyMs: number;
  /** Seals the next events of a merchant. Returns how many it sealed. */
  seal: (tenant: Tenant) => Promise<number>;
}): Sweep {
  const condition = sealsAreDue(headsOfTurn);
  let after: Tenant | null = null;
  return {
    name: 'event seals',
    role: 'payments',
    everyMs: deps.everyMs,
    conditions: [condition],
    run: async (going, isDue = everythingIsDue) => {
      if (!isDue(condition)) return;
      const heads = await nextSealHeads(deps.database, after, headsOfTurn);
      after = heads.length < headsOfTurn ? null : (heads.at(-1) ?? null);
      const faults: unknown[] = [];
      await pMap(
        heads.filter((head) => head.isDue),
        async ({ merchantId, environment }) => {
          try {
            for (let seals = 0; seals < sealsOfTurn && going(); seals += 1) {
              if ((await deps.seal({ merchantId, environment })) === 0) return;
            }
          } catch (error) {
            faults.push(error);
          }
        },
        { concurrency: atOnce },
      );
      if (faults.length > 0) throw faults[0];
    },
  };
}
