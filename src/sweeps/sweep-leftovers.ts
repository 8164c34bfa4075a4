import type { Database } from '../db/server/database.ts';
import {
  type Leftover,
  clearLeftovers,
  clearRateLimits,
  leftoverKinds,
  type Retention,
} from '../db/server/leftovers.ts';
import { foldListChanges } from '../db/server/list-counts.ts';
import { allOf } from './all-of.ts';
import type { Sweep } from './sweep.ts';

interface LeftoverDeps {
  database: Database;
  now: () => number;
  everyMs: number;
  /** The usual retention unless given. */
  retention?: Retention;
}

/** Rows of one statement. There are fewer events, whose deliveries and tries are deleted with them. */
const batch = 5_000;
const eventBatch = 500;

/** Turns between two deletions. An expired row may stay so long: its own instant already makes it invalid. */
const agedEveryTurns = 12;

/** Folds, each turn, the changes by which lists are counted, and ends capture access that is over. */
export function createLeftoverSweep(deps: LeftoverDeps): Sweep {
  const { database } = deps;
  return {
    name: 'leftovers',
    role: 'payments',
    everyMs: deps.everyMs,
    run: (going) =>
      allOf([
        async () => {
          while (going() && (await foldListChanges(database, batch)) === batch);
        },
        () => clear(deps, 'captureSecrets', going),
      ]),
  };
}

/** Returns the sweep that deletes rows past their retention, kind by kind. */
export function createAgedRowSweep(deps: LeftoverDeps): Sweep {
  const { database } = deps;
  const aged = leftoverKinds.filter((kind) => kind !== 'captureSecrets');
  let rateLimitsAfter = '';
  return {
    name: 'aged rows',
    role: 'payments',
    everyMs: deps.everyMs * agedEveryTurns,
    run: (going) =>
      allOf([
        ...aged.map((kind) => () => clear(deps, kind, going)),
        async () => {
          if (!going()) return;
          const now = new Date(deps.now());
          rateLimitsAfter = (await clearRateLimits(database, rateLimitsAfter, now, batch)) ?? '';
        },
      ]),
  };
}

/** Deletes rows of one kind, batch by batch until one is short. */
async function clear(
  { database, now, retention }: LeftoverDeps,
  kind: Leftover,
  going: () => boolean,
): Promise<void> {
  const limit = kind === 'events' ? eventBatch : batch;
  while (going() && (await clearLeftovers(database, kind, new Date(now()), limit, retention)) === limit);
}
