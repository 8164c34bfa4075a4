import { simulate } from './simulate.mjs';

/**
 * Plays `count` seeds from `first`. Answers how many, how fast, how much simulated time, and the violations; stops at
 * the tenth violated seed, or at the first with `onlyFirst`.
 */
export function runSeeds(domain, { first, count, onlyFirst = false }) {
  const startedAt = performance.now();
  const violations = [];
  let simulatedMs = 0;
  let steps = 0;
  let seeds = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = simulate(domain, seed);
    seeds += 1;
    simulatedMs += outcome.simulatedMs;
    steps += outcome.steps;
    if (outcome.violations.length === 0) continue;
    violations.push({ seed, ...outcome.violations[0] });
    if (onlyFirst || violations.length >= 10) break;
  }
  return { seeds, steps, violations, simulatedMs, seconds: (performance.now() - startedAt) / 1000 };
}
