import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure, WorkflowIdConflictPolicy } from '@temporalio/common';
import type { UpdateDefinition } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import type { CheckoutPayment } from '../../domain/payment.ts';
import { Refusal, isRefusalCode } from '../../domain/refusals.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import { payUpdateId, paymentWorkflowId, workflowTypes } from '../contract/ids.ts';
import {
  type AttemptResult,
  type CheckoutSnapshot,
  type PaymentWorkflow,
  abandonActionUpdate,
  advanceClockUpdate,
  confirmUpdate,
  payUpdate,
  providerEventSignal,
  statusQuery,
} from '../contract/payment.ts';
import { type WorkflowClientDeps, retryUntilAdmitted, withinDeadline } from './calls.ts';
import { createRuns, isUnanswered, mayBeStuck } from './stuck-run.ts';
import { type StartablePayment, paymentWorkflowStart } from '../contract/start-payment.ts';

/** Longest wait for each kind of call, in ms. Without it a missing worker would hang the request forever. */
const waits = { start: 1_500, update: 20_000, query: 300, signal: 2_000, find: 1_000 } as const;

/**
 * How many started payments are remembered, and for how long, in ms. Their rows show the start within a
 * second.
 */
const maxStarted = 10_000;
const startedForMs = 60 * 60_000;

/**
 * The rows of a payment are behind its run: PostgreSQL lost commits. Until the sweep has compared the rows
 * with the provider, nothing may be sent for them and no reservation may be released. ADR 0038.
 */
export class RowsBehindRun extends Error {
  override readonly name = 'RowsBehindRun';
}

/**
 * The payment workflows as the API sees them. They throw refusals of the workflow and faults as `Refusal`.
 */
export interface PaymentWorkflows {
  /** Starts the payment's workflow, or finds it started. */
  start(payment: StartablePayment): Promise<void>;
  /** Makes the attempt that is reserved in the rows; a repeated call makes the same one. */
  pay(
    payment: CheckoutPayment,
    attempt: { attemptNo: number; method: PaymentMethod; requestId: string },
  ): Promise<AttemptResult>;
  confirm(payment: CheckoutPayment, requestId: string): Promise<AttemptResult>;
  abandonAction(payment: CheckoutPayment, requestId: string): Promise<AttemptResult>;
  advanceClock(
    payment: CheckoutPayment,
    requestId: string,
    bySeconds: number,
  ): Promise<{ expiresAtMs: number; captureEndsAtMs: number }>;
  /**
   * Returns the checkout as the workflow holds it; null when the workflow does not answer soon, is closed, or
   * was never started.
   */
  snapshot(paymentId: string): Promise<CheckoutSnapshot | null>;
  /**
   * Signals a workflow that the network reported a change. A run that is gone or stuck is replaced by one
   * that resumes from the rows. A run that has completed is not replaced: the sweep compares its rows first.
   * Faults are thrown.
   */
  notifyProviderEvent(payment: StartablePayment, mayConfirm: boolean): Promise<void>;
}

/** Returns a client of the payment workflows, with a deadline on every call. */
export function createPaymentWorkflows(deps: WorkflowClientDeps): PaymentWorkflows {
  const { client, queuePrefix, now } = deps;
  const handle = handles(client);
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);

  /** Payments that this process started recently: their rows may not show it yet. */
  const startedHere = new LRUCache<string, true>({ max: maxStarted, ttl: startedForMs });

  const start = async (payment: StartablePayment, resume = false): Promise<void> => {
    try {
      await within(waits.start, () =>
        client.workflow.start<PaymentWorkflow>(
          workflowTypes.payment,
          paymentWorkflowStart(payment, queuePrefix, now(), resume),
        ),
      );
      startedHere.set(payment.id, true);
    } catch (error) {
      // The workflow has ended, so there is nothing to start.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      throw new Refusal('service_unavailable', { cause: error });
    }
  };

  const hasCompleted = async (paymentId: string): Promise<boolean> => {
    try {
      return (await within(waits.signal, () => handle(paymentId).describe())).status.name === 'COMPLETED';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };

  const update = createUpdateSender(deps, { start, wasStarted: ({ id }) => startedHere.has(id) });
  const queries = new Map<string, Promise<CheckoutSnapshot | null>>();

  return {
    start: (payment) => start(payment),
    pay: (payment, { requestId, ...attempt }) =>
      update(payment, payUpdateId(attempt.attemptNo, requestId), payUpdate, [attempt]),
    confirm: (payment, requestId) => update(payment, requestId, confirmUpdate, []),
    abandonAction: (payment, requestId) => update(payment, requestId, abandonActionUpdate, []),
    advanceClock: (payment, requestId, bySeconds) =>
      update(payment, requestId, advanceClockUpdate, [{ bySeconds }]),
    snapshot: (paymentId) => {
      // One query at a time per payment and process: more equal ones would only slow the workflow down.
      const running = queries.get(paymentId);
      if (running) return running;
      const query = within(waits.query, () => handle(paymentId).query(statusQuery))
        .catch(() => null)
        .finally(() => queries.delete(paymentId));
      queries.set(paymentId, query);
      return query;
    },
    notifyProviderEvent: async (payment, mayConfirm) => {
      const run = await runs.endStuck(paymentWorkflowId(payment.id));
      // The rows are behind a completed run. No run may resume from them before the sweep restores them.
      if (run === 'none' && (await hasCompleted(payment.id))) return;
      await within(waits.signal, () =>
        client.workflow.signalWithStart<PaymentWorkflow, [{ mayConfirm: boolean }]>(workflowTypes.payment, {
          ...paymentWorkflowStart(payment, queuePrefix, now(), true),
          signal: providerEventSignal,
          signalArgs: [{ mayConfirm }],
        }),
      );
    },
  };
}

/** Sends an update under the id of its request, so that a repeat is the same update. */
type SendUpdate = <T, Args extends [] | [object]>(
  payment: CheckoutPayment,
  requestId: string,
  definition: UpdateDefinition<T, Args>,
  args: Args,
) => Promise<T>;

/**
 * Returns the function that sends an update to a payment's workflow, and starts the workflow with it where
 * there is none yet. A run that is gone or stuck is replaced by one that resumes from the rows. The function
 * throws `Refusal`: the workflow's own, or service_unavailable.
 */
function createUpdateSender(
  deps: WorkflowClientDeps,
  {
    start,
    wasStarted,
  }: {
    start: (payment: StartablePayment, resume: boolean) => Promise<void>;
    /** Whether this process started the workflow, although the row as it was read does not show it. */
    wasStarted: (payment: CheckoutPayment) => boolean;
  },
): SendUpdate {
  const { client, queuePrefix, now } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);
  const handle = handles(client);
  const isAhead = aheadOfRows(deps);

  const send = <T, Args extends [] | [object]>(
    payment: CheckoutPayment,
    updateId: string,
    definition: UpdateDefinition<T, Args>,
    args: Args,
    { startsWithUpdate }: { startsWithUpdate: boolean },
  ): Promise<T> => {
    // The overloads separate calls with and without arguments; the definition binds both here.
    const update = definition as UpdateDefinition<T, [object]>;
    const options = { updateId, args: args as [object] };
    if (!startsWithUpdate) return handle(payment.id).executeUpdate<T, [object]>(update, options);
    // Temporal accepts no start delay together with an update.
    const { startDelay: _, ...starting } = paymentWorkflowStart(payment, queuePrefix, now());
    return client.workflow.executeUpdateWithStart<PaymentWorkflow, T, [object]>(update, {
      ...options,
      startWorkflowOperation: new WithStartWorkflowOperation<PaymentWorkflow>(workflowTypes.payment, {
        ...starting,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      }),
    });
  };

  /** Returns whether a call failed because its run is gone or stuck. A stuck run is terminated. */
  const cannotContinue = async (paymentId: string, error: unknown): Promise<boolean> => {
    if (error instanceof WorkflowNotFoundError) return true;
    if (!mayBeStuck(error)) return false;
    try {
      return (await runs.endStuck(paymentWorkflowId(paymentId))) === 'ended';
    } catch {
      // The sweep finds it.
      return false;
    }
  };

  const update = async <T, Args extends [] | [object]>(
    payment: CheckoutPayment,
    requestId: string,
    definition: UpdateDefinition<T, Args>,
    args: Args,
    mayResume = true,
  ): Promise<T> => {
    // Created a moment ago, or while Temporal was unavailable: this call starts the workflow too.
    const startsWithUpdate = payment.workflowStartedAt === null && !wasStarted(payment);
    try {
      // The request's id makes a repeated send of the same request harmless; it reveals nothing of the card.
      return await within(waits.update, () =>
        retryUntilAdmitted(() => send(payment, requestId, definition, args, { startsWithUpdate }), now),
      );
    } catch (error) {
      if (await isAhead(payment, error)) {
        throw new Refusal('service_unavailable', {
          cause: new RowsBehindRun(`the rows of payment ${payment.id} are behind its run`),
        });
      }
      if (mayResume && (await cannotContinue(payment.id, error))) {
        // Start a run here instead of waiting for the sweep.
        await start(payment, true);
        // A caller whose update was not answered gets 503 and retries.
        if (!isUnanswered(error)) return update(payment, requestId, definition, args, false);
      }
      if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
        const { type } = error.cause;
        if (isRefusalCode(type)) throw new Refusal(type);
      }
      throw new Refusal('service_unavailable', { cause: error });
    }
  };

  return update;
}

/**
 * Returns a function that checks whether the run of a payment has ended and is ahead of its rows. Then no
 * other run may continue from the rows.
 */
const aheadOfRows = (deps: WorkflowClientDeps) => {
  const within = withinDeadline(deps);
  const handle = handles(deps.client);
  return async ({ id, stateSeq }: CheckoutPayment, error: unknown): Promise<boolean> => {
    const isEnded =
      error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError;
    if (!isEnded) return false;
    try {
      const { status } = await within(waits.find, () => handle(id).describe());
      // A run completes only after the rows show that nothing can follow.
      if (status.name === 'COMPLETED') return true;
      return (await within(waits.find, () => handle(id).query(statusQuery))).seq > stateSeq;
    } catch {
      // The run does not replay, or there is none.
      return false;
    }
  };
};

/** Returns the function that returns the handle of a payment's workflow. */
const handles =
  (client: Client) =>
  (paymentId: string): WorkflowHandle<PaymentWorkflow> =>
    client.workflow.getHandle<PaymentWorkflow>(paymentWorkflowId(paymentId));
