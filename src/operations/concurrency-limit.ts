/**
 * A limit of the calls that run at the same time: in all, and of one subject. Written here because no library
 * has the property: it refuses at once, where `p-queue` and `p-limit` let the call wait, and it checks both
 * bounds in one step.
 */
export interface ConcurrencyLimit {
  /** Takes a slot; returns the function that releases it, or null where none is free. */
  take(subject: string): (() => void) | null;
}

export function createConcurrencyLimit(bounds: { all: number; each: number }): ConcurrencyLimit {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(subject) {
      const own = taken.get(subject) ?? 0;
      if (all >= bounds.all || own >= bounds.each) return null;
      taken.set(subject, own + 1);
      all += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        all -= 1;
        const left = (taken.get(subject) ?? 1) - 1;
        if (left === 0) taken.delete(subject);
        else taken.set(subject, left);
      };
    },
  };
}
