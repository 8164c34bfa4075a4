import type { Database } from '../db/database.ts';
import { type Leftover, clearLeftovers, clearRateLimits, leftoverKinds } from '../db/leftovers.ts';
import { allOf } from './all-of.ts';
import { foldListChanges } from '../db/list-counts.ts';
import type { Sweep } from './sweep.ts';

/** Rows of one statement; an event takes its deliveries and their tries with it. */
const batch = 5_000;
const eventBatch = 500;

/**
 * Clears away what nobody needs, and folds the changes that lists are counted by, batch by batch until one is
 * short.
 */
export function createLeftoverSweep(deps: { database: Database; now: () => number; everyMs: number }): Sweep {
  const { database } = deps;
  let rateLimitsAfter = '';

  const clear = async (kind: Leftover, going: () => boolean): Promise<void> => {
    const limit = kind === 'events' ? eventBatch : batch;
    while (going() && (await clearLeftovers(database, kind, new Date(deps.now()), limit)) === limit);
  };

  return {
    name: 'leftovers',
    role: 'payments',
    everyMs: deps.everyMs,
    run: async (going) => {
      await allOf([
        async () => {
          while (going() && (await foldListChanges(database, batch)) === batch);
        },
        ...leftoverKinds.map((kind) => () => clear(kind, going)),
        async () => {
          const now = new Date(deps.now());
          rateLimitsAfter = (await clearRateLimits(database, rateLimitsAfter, now, batch)) ?? '';
        },
      ]);
    },
  };
}
