/** The status edges of the specification, deliberately written a second time. */
export type Edges = Record<string, readonly string[]>;

export const checkoutEdges: Edges = {
  open: ['processing', 'requiresAction', 'paid', 'failed_retryable', 'expired'],
  processing: ['open', 'requiresAction', 'paid', 'failed_retryable', 'expired'],
  requiresAction: ['processing', 'paid', 'failed_retryable', 'expired'],
  failed_retryable: ['processing', 'requiresAction', 'paid', 'expired'],
  paid: [],
  expired: [],
};

/**
 * The edges of what a checkout page shows. A checkout that closed can still become paid by a late success. A
 * step that ends shows as processing until its result is stored.
 */
export const pageEdges: Edges = {
  open: ['processing', 'step', 'paid', 'closed'],
  processing: ['open', 'step', 'paid', 'closed'],
  step: ['open', 'processing', 'paid', 'closed'],
  paid: [],
  closed: ['paid'],
};

export const paymentEdges: Edges = {
  pending: ['requiresAction', 'paid', 'failed'],
  requiresAction: ['pending', 'paid', 'failed'],
  paid: ['partiallyRefunded', 'refunded', 'disputed'],
  failed: [],
  // It returns to `paid` when a refund fails late.
  partiallyRefunded: ['partiallyRefunded', 'paid', 'refunded', 'disputed'],
  refunded: ['paid', 'partiallyRefunded', 'disputed', 'disputeLost'],
  // It returns to these when the network withdraws the dispute.
  disputed: ['disputeWon', 'disputeLost', 'paid', 'partiallyRefunded', 'refunded'],
  disputeWon: ['partiallyRefunded', 'refunded', 'disputed'],
  // A later stage follows, or the funds are reinstated.
  disputeLost: ['disputed', 'disputeWon', 'paid', 'partiallyRefunded', 'refunded'],
};

/** Returns whether the money was taken at some time, whatever happened to it later. */
export function moneyCameIn(status: string): boolean {
  return !['pending', 'requiresAction', 'failed'].includes(status);
}

/** Whether one or more edges lead from one status to another. */
export function reaches(edges: Edges, from: string, to: string, seen = new Set<string>()): boolean {
  return (edges[from] ?? []).some((next) => {
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(edges, next, to, seen);
  });
}
