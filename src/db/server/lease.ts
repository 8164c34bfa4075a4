/** Names that are held until a moment of a monotonic clock, which goes on while a process is stopped. */
export interface Lease {
  /** Returns the moment to hand to `renew`: taken before the question, so that the answer's way counts. */
  asking(): number;
  /** Holds these names for the length of the lease, counted from the moment of asking. */
  renew(names: Iterable<string>, askedAt: number): void;
  end(): void;
  /** The names held; none once the lease has run out. */
  held(): ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** Returns a lease of so many ms that holds nothing yet. */
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
