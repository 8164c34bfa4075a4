import { Problem } from '../../../scripts/lib/problem.mjs';

/** A row of the table: what caught a mutant, undefined when it was not caught, and after how much work. */
export interface CaughtMutant {
  name: string;
  layer: 'simulation' | 'processes';
  violation: { invariant: string; detail: string } | undefined;
  after: string;
}

/**
 * Prints the table of docs/reliability.md. Returns whether every mutant was caught. Throws when there is
 * none.
 */
export function printMutants(rows: readonly CaughtMutant[]): boolean {
  if (rows.length === 0) throw new Problem('no mutant has this name');
  console.log('| mutant | caught by | as | after |\n|---|---|---|---|');
  for (const { name, layer, violation, after } of rows) {
    const as = violation ? `${violation.invariant}: ${violation.detail}` : 'NOT CAUGHT';
    console.log(`| ${name} | ${layer} | ${as} | ${after} |`);
  }
  const caught = rows.filter(({ violation }) => violation !== undefined).length;
  console.log(`mutants: ${rows.length}, caught: ${caught}`);
  return caught === rows.length;
}
