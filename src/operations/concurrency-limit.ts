/**
 * A limit of concurrent calls, in all and for one subject. It is not a library's, because `p-queue` and
 * `p-limit` let a call wait, while this refuses at once, and because it checks both bounds in one step.
 */
export interface ConcurrencyLimit {
  /** Takes a slot. Returns the function that releases it, or null when none is free. */
  take(subject: string): (() => void) | null;
}

/** Returns a limit of `all` concurrent calls in this process, and of `each` for one subject. */
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
