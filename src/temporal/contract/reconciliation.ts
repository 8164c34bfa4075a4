import type { ReconciliationResult } from '../../domain/reconciliation.ts';

/** Input of a reconciliation's workflow; the row of the run holds the rest. */
export interface ReconciliationInput {
  runId: string;
}

/** The progress of a run. */
export interface ReconciliationPlace {
  /** The number of its present step, from 0: the provider's lists, comparisons, lookups by key, balances. */
  step: number;
  /** Where the step's list continues; null: at its beginning. */
  cursor: string | null;
  /** Pages of the step that were read. */
  pages: number;
}

/** Where a run continues, and after which pause in ms. `next` null: everything was compared. */
export interface ReconciliationAdvance {
  next: ReconciliationPlace | null;
  pauseMs: number;
  /** The code of why the run cannot be complete; null while it can. */
  problem: string | null;
}

/** The reconciliation's workflow as its starters see it. `place`: where an earlier run of it stopped. */
export type ReconciliationWorkflow = (
  input: ReconciliationInput,
  place?: ReconciliationPlace,
  problem?: string | null,
) => Promise<ReconciliationResult>;
