/** Names that are held until a moment of a monotonic clock, which continues while a process is suspended. */
export interface Lease {
  /**
   * Returns the moment to pass to `renew`. It is taken before the query, so that the answer's delay counts
   * too.
   */
  asking(): number;
  /** Holds these names for the length of the lease, counted from `askedAt`. */
  renew(names: Iterable<string>, askedAt: number): void;
  end(): void;
  /** The names held; none once the lease has run out. */
  held(): ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** Returns a lease of `lengthMs` that holds nothing yet. */
export function createLease(lengthMs: number, monotonic: () => number = () => performance.now()): Lease {
  let names = none;
  let endsAt = -Infinity;
  return {
    asking: () => monotonic(),
    renew(held, askedAt) {
      names = new Set(held);
      endsAt = askedAt + lengthMs;
    },
    end() {
      names = none;
    },
    held: () => (monotonic() < endsAt ? names : none),
  };
}
