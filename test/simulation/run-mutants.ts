import { assertMutantsApply } from '../support/harness/mutant.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { loadDecisions } from './decisions.ts';
import type { Violation } from './invariants.ts';
import { decisionMutants } from './mutants.ts';
import { runSeeds } from './run-seeds.ts';

const maxSeeds = 20_000;

/** How a mutant fared: what caught it, undefined when nothing did, and in which seed. */
export interface MutantResult {
  name: string;
  violation: Violation | undefined;
  seeds: number;
}

/**
 * Plays each mutant of the decisions until it is caught. Throws, before any runs, when one no longer applies.
 */
export async function runDecisionMutants(only?: string): Promise<MutantResult[]> {
  assertMutantsApply(decisionMutants, projectRoot);
  const results: MutantResult[] = [];
  for (const mutant of decisionMutants) {
    if (only !== undefined && only !== mutant.name) continue;
    const { violations, seeds } = runSeeds(await loadDecisions(mutant), {
      first: 1,
      count: maxSeeds,
      onlyUntilFirst: true,
    });
    results.push({ name: mutant.name, violation: violations[0], seeds });
  }
  return results;
}
