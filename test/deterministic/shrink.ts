/** The part of a seed that is played. */
export interface Play {
  payments: number;
  /** Kinds of faults that do not happen. */
  without: readonly string[];
}

/**
 * Returns a smaller play that still fails: first with fewer payments, then without kinds of faults. A part is
 * removed only when `fails` returns that the rest still fails. `fails` is called at most `mostTries` times.
 */
export async function shrink(
  whole: Play,
  kinds: readonly string[],
  fails: (play: Play) => Promise<boolean>,
  maxTries = 16,
): Promise<Play> {
  let smallest = whole;
  let triesLeft = maxTries;
  const isEnough = async (play: Play): Promise<boolean> => {
    if (triesLeft === 0) return false;
    triesLeft -= 1;
    if (!(await fails(play))) return false;
    smallest = play;
    return true;
  };
  let tooFew = 0;
  while (smallest.payments - tooFew > 1) {
    const payments = Math.floor((smallest.payments + tooFew) / 2);
    if (!(await isEnough({ ...smallest, payments }))) tooFew = payments;
  }
  const wanted = kinds.filter((kind) => !smallest.without.includes(kind));
  if (await isEnough({ ...smallest, without: [...smallest.without, ...wanted] })) return smallest;
  for (const kind of wanted) await isEnough({ ...smallest, without: [...smallest.without, kind] });
  return smallest;
}
