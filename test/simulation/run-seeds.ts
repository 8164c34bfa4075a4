import type { Violation } from './invariants.ts';
import type { Decisions } from './decisions.ts';
import { simulate } from './simulate.ts';

const maxViolatedSeeds = 10;

/** What came of some seeds: the first violation of each that had one. */
export interface Played {
  seeds: number;
  steps: number;
  violations: (Violation & { seed: number })[];
  simulatedMs: number;
  tookMs: number;
}

/**
 * Plays `count` seeds from `first`. Stops at the tenth violated seed, or at the first with `onlyUntilFirst`.
 */
export function runSeeds(
  domain: Decisions,
  { first, count, onlyUntilFirst = false }: { first: number; count: number; onlyUntilFirst?: boolean },
): Played {
  const startedAt = performance.now();
  const played: Played = { seeds: 0, steps: 0, violations: [], simulatedMs: 0, tookMs: 0 };
  for (let seed = first; seed < first + count; seed += 1) {
    const { violations, steps, simulatedMs } = simulate(domain, seed);
    played.seeds += 1;
    played.simulatedMs += simulatedMs;
    played.steps += steps;
    const [violation] = violations;
    if (violation === undefined) continue;
    played.violations.push({ seed, ...violation });
    if (onlyUntilFirst || played.violations.length >= maxViolatedSeeds) break;
  }
  played.tookMs = performance.now() - startedAt;
  return played;
}
