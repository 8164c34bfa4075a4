import { Random } from '../support/harness/random.ts';

/** The kind of fault that ends a run while the worker that plays it is frozen. */
export const frozenRunLost = 'run of a frozen worker terminated';

/**
 * Kinds of faults that break something only together. A share of the seeds has those of one row often, which
 * weights that are drawn one by one would seldom give.
 */
const themes: readonly (readonly string[])[] = [
  ['frozen before a claim', frozenRunLost],
  ['frozen after a decline', 'declined charge captured while its worker is frozen'],
  ['frozen after a decline', frozenRunLost],
  ['frozen before an answer', 'frozen before commitTransition', frozenRunLost],
  ['answer to a commit lost', 'answer of an activity lost', 'answer lost (shop)'],
];
const themeShare = 0.35;

/** Returns the kinds of faults that a seed has often; most seeds have none. */
export function themeOf(seed: number): readonly string[] {
  const random = new Random(Math.imul(seed, 0x27d4eb2f) ^ 0x6a09e667);
  return random.chance(themeShare) ? random.pick(themes) : [];
}
