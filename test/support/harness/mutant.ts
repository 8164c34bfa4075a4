import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../../scripts/lib/problem.mjs';

/** An exact piece of one file's text, and its replacement. */
export interface Edit {
  file: string;
  find: string;
  replace: string;
}

/** A deliberate mistake in a copy of the code. */
export interface Mutant extends Edit {
  name: string;
  /** Other guards that are removed with it. Without this, they would hide the mistake. */
  also?: readonly Edit[];
}

/** Returns all edits of a mutant, each with the mutant's name. */
export const editsOf = ({ name, file, find, replace, also = [] }: Mutant): Mutant[] =>
  [{ file, find, replace }, ...also].map((edit) => ({ name, ...edit }));

/**
 * Returns the text with the mistake. Throws Problem, naming the mutant, unless its piece occurs exactly once.
 */
export function mutate(text: string, { name, file, find, replace }: Mutant): string {
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new Problem(`mutant "${name}": its text is in ${file} ${parts.length - 1} times instead of once`);
  }
  return parts.join(replace);
}

/**
 * Throws one Problem that names every mutant whose piece does not occur exactly once in its file below
 * `directory`. It is called before any of them runs, so that a renamed function is reported at once and not
 * after an hour.
 */
export function assertMutantsApply(mutants: readonly Mutant[], directory: string): void {
  const problems = mutants.flatMap(editsOf).flatMap((mutant) => {
    const path = join(directory, mutant.file);
    if (!existsSync(path)) return [`mutant "${mutant.name}": there is no ${mutant.file}`];
    try {
      mutate(readFileSync(path, 'utf8'), mutant);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  if (problems.length > 0) throw new Problem(problems.join('\n'));
}
