import type { Database } from '../db/server/database.ts';
import {
  type Leftover,
  clearLeftovers,
  clearRateLimits,
  leftoverKinds,
  leftoversAreDue,
  type Retention,
} from '../db/server/leftovers.ts';
import { foldListChanges, listChangesAreDue } from '../db/server/list-counts.ts';
import { runAllSteps } from './run-all-steps.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

interface LeftoverDeps {
  database: Database;
  now: () => number;
  everyMs: number;
  /** `usualRetention` if absent. */
  retention?: Retention;
}

/** Rows of one statement. */
const batch = 5_000;
/** Fewer events, whose deliveries and tries are deleted with them; fewer seals, because of their size. */
const smallBatches: Partial<Record<Leftover, number>> = { untimedEvents: 500, events: 500, eventSeals: 100 };
/** Batches of rate limits that are read in one turn. */
const rateLimitBatches = 20;

/** Turns between two deletions. An expired row may stay that long, because readers check its expiry. */
const agedEveryTurns = 12;

/** Returns the sweep that folds changes into the counts of lists, and ends capture access that is over. */
export function createLeftoverSweep(deps: LeftoverDeps): Sweep {
  const { database } = deps;
  const secretsAreDue = leftoversAreDue('captureSecrets');
  return {
    name: 'leftovers',
    role: 'payments',
    everyMs: deps.everyMs,
    conditions: [listChangesAreDue, secretsAreDue],
    run: (going, isDue = everythingIsDue) =>
      runAllSteps([
        async () => {
          if (!isDue(listChangesAreDue)) return;
          while (going() && (await foldListChanges(database, batch)) === batch);
        },
        async () => {
          if (isDue(secretsAreDue)) await clear(deps, 'captureSecrets', going);
        },
      ]),
  };
}

/** Returns the sweep that deletes rows past their retention, kind by kind. */
export function createAgedRowSweep(deps: LeftoverDeps): Sweep {
  const { database } = deps;
  const aged = leftoverKinds
    .filter((kind) => kind !== 'captureSecrets')
    .map((kind) => ({ kind, condition: leftoversAreDue(kind, deps.retention) }));
  let rateLimitsAfter = '';
  return {
    name: 'aged rows',
    role: 'payments',
    everyMs: deps.everyMs * agedEveryTurns,
    conditions: aged.map(({ condition }) => condition),
    run: (going, isDue = everythingIsDue) =>
      runAllSteps([
        ...aged.map(({ kind, condition }) => async () => {
          if (isDue(condition)) await clear(deps, kind, going);
        }),
        async () => {
          for (let read = 0; read < rateLimitBatches && going(); read += 1) {
            const now = new Date(deps.now());
            rateLimitsAfter = (await clearRateLimits(database, rateLimitsAfter, now, batch)) ?? '';
            if (rateLimitsAfter === '') return;
          }
        },
      ]),
  };
}

/**
 * Clears rows of one kind, batch by batch, until a batch is short. Kinds whose statement has a lower bound of
 * its own (event seals and reconciliations) get one batch in a turn.
 */
async function clear(
  { database, now, retention }: LeftoverDeps,
  kind: Leftover,
  going: () => boolean,
): Promise<void> {
  const limit = smallBatches[kind] ?? batch;
  while (going() && (await clearLeftovers(database, kind, new Date(now()), limit, retention)) === limit);
}
