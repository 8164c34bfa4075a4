import type { Decisions } from './mutants.mjs';

export interface Played {
  seeds: number;
  steps: number;
  violations: { seed: number; invariant: string; detail: string }[];
  simulatedMs: number;
  seconds: number;
}

export function runSeeds(
  domain: Decisions,
  options: { first: number; count: number; onlyFirst?: boolean },
): Played;
