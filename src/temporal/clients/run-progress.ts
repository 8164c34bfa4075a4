import { WorkflowNotFoundError } from '@temporalio/client';
import type { CheckoutStatus, PaymentMethod } from '../../domain/statuses.ts';
import { attemptOfUpdate, paymentWorkflowId } from '../contract/ids.ts';
import { type PaymentWorkflow, statusQuery } from '../contract/payment.ts';
import { type WorkflowClientDeps, withinDeadline } from './calls.ts';

/** Longest wait for each call, in ms. */
const waitMs = 2_000;

/** The progress of a payment's latest run, whether the run is open or has ended. */
export interface RunProgress {
  /** The run ended by itself: it had committed that no transition can follow. */
  hasCompleted: boolean;
  /** Number of the latest transition that the run committed; null: only its history could be read. */
  seq: number | null;
  /** The latest attempt that the run knows; 0: none. */
  lastAttemptNo: number;
  /** The method of that attempt, where the run returns it. */
  method: PaymentMethod | null;
  /** The checkout's status, while the run is open and answers. */
  openStatus: CheckoutStatus | null;
}

/** Reads the progress of a payment's latest run; null: Temporal knows no run. Faults are thrown. */
export type ReadRunProgress = (paymentId: string) => Promise<RunProgress | null>;

/**
 * Returns the reader of runs, with a deadline on every call. A run is queried even when it has ended. When a
 * run does not replay, its history still names the attempts that it accepted.
 */
export function createRunProgressReader(deps: WorkflowClientDeps): ReadRunProgress {
  const within = withinDeadline(deps);
  return async (paymentId) => {
    const workflowId = paymentWorkflowId(paymentId);
    try {
      const { runId, status } = await within(waitMs, () =>
        deps.client.workflow.getHandle(workflowId).describe(),
      );
      const run = deps.client.workflow.getHandle<PaymentWorkflow>(workflowId, runId);
      const hasCompleted = status.name === 'COMPLETED';
      const snapshot = await within(waitMs, () => run.query(statusQuery)).catch(() => null);
      const lastAttemptNo =
        snapshot?.lastAttempt?.attemptNo ??
        lastAccepted((await within(waitMs, () => run.fetchHistory())).events ?? []);
      return {
        hasCompleted,
        seq: snapshot?.seq ?? null,
        lastAttemptNo,
        method: snapshot?.lastAttempt?.method ?? null,
        openStatus: status.name === 'RUNNING' ? (snapshot?.status ?? null) : null,
      };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };
}

interface HistoryEvent {
  workflowExecutionUpdateAcceptedEventAttributes?: {
    acceptedRequest?: { meta?: { updateId?: string | null } | null } | null;
  } | null;
}

/** Returns the latest attempt whose update a history has accepted; 0: none. */
function lastAccepted(events: readonly HistoryEvent[]): number {
  const accepted = events.map(({ workflowExecutionUpdateAcceptedEventAttributes: update }) =>
    attemptOfUpdate(update?.acceptedRequest?.meta?.updateId ?? ''),
  );
  return Math.max(0, ...accepted.map((attemptNo) => attemptNo ?? 0));
}
