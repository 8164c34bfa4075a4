import { type Change, drawChange } from '../chaos/change-plan.ts';
import type { Made } from '../chaos/made.ts';
import { putRowsBack } from '../chaos/put-back.ts';
import { Random } from '../support/harness/random.ts';
import { databaseUrl } from './simulated-postgres.ts';
import type { Scheduler } from './scheduler.ts';
import { themeOf } from './themes.ts';

export type PutBack = Extract<Change, { kind: 'rows-put-back' }>;

/** The kind of fault, as the line of faults names it. */
const putBackFault = 'rows put back';

/** The share of seeds that put rows back. Runs are not lost meanwhile: nothing else would know the charge. */
const share = 0.3;

/** Returns which rows of a seed are put back; null when none are, as in each seed with a theme. */
export function drawPutBack(seed: number): PutBack | null {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x2c1b3c6d);
  if (!random.chance(share) || themeOf(seed).length > 0) return null;
  const change = drawChange(random, 'rows-put-back', 0);
  return change.kind === 'rows-put-back' ? change : null;
}

/** Puts the rows of payments back once they are paid, with the statements of the chaos harness. */
export async function playPutBack(
  change: PutBack,
  { scheduler, made, since, over }: { scheduler: Scheduler; made: Made; since: Date; over: AbortSignal },
): Promise<void> {
  if (!scheduler.allows(putBackFault)) return;
  const note = (line: string): void => scheduler.note(line);
  await putRowsBack(change, { stack: { databaseUrl }, made, since, over, note });
  for (let count = 0; count < made.putBack.size; count += 1) scheduler.met(putBackFault);
}
