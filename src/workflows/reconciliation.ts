import {
  ActivityFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReconciliationActivities } from '../activities/reconciliation.ts';
import type { ReconciliationResult } from '../domain/reconciliation.ts';
import type {
  ReconciliationAdvance,
  ReconciliationInput,
  ReconciliationPlace,
} from '../temporal/contract/reconciliation.ts';
import { providerRetryOptions } from './provider-activities.ts';

/** Tries of one part of a run. They take about five minutes when the provider does not answer. */
const maxTries = 12;

const firstPlace: ReconciliationPlace = { step: 0, cursor: null, pages: 0 };

/**
 * Compares the provider's charges, refunds and disputes of one span with the rows, page by page. Each
 * difference is checked by its key before it counts. Returns the run's result; `complete` is false when the
 * provider did not return everything. `place` and `problem`: where an earlier run of it stopped, and the
 * first problem up to there. docs/reconciliation.md.
 */
export async function reconciliationWorkflow(
  input: ReconciliationInput,
  place: ReconciliationPlace = firstPlace,
  problem: string | null = null,
): Promise<ReconciliationResult> {
  const options = providerRetryOptions(workflowInfo().taskQueue);
  const { advanceReconciliation } = proxyActivities<ReconciliationActivities>({
    ...options,
    retry: { ...options.retry, maximumAttempts: maxTries },
  });
  const { finishReconciliation } = proxyActivities<ReconciliationActivities>(options);
  let at = place;
  let firstProblem = problem;
  for (;;) {
    let advanced: ReconciliationAdvance;
    try {
      advanced = await advanceReconciliation({ ...input, place: at });
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      return finishReconciliation({ ...input, problem: 'provider_unavailable' });
    }
    firstProblem ??= advanced.problem;
    if (advanced.next === null) return finishReconciliation({ ...input, problem: firstProblem });
    at = advanced.next;
    setCurrentDetails(`step ${at.step}, ${at.pages} pages`);
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof reconciliationWorkflow>(input, at, firstProblem);
    }
    if (advanced.pauseMs > 0)
      await sleep(advanced.pauseMs, { summary: 'before differences are checked again' });
  }
}
