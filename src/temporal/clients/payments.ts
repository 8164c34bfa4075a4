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

/**
 * Longest wait for each kind of call, in ms: without one a missing worker would hang the request for ever.
 */
const waits = { start: 1_500, update: 20_000, query: 300, signal: 2_000, find: 1_000 } as const;

/** Started payments that are remembered; rows say within a second that theirs is started. */
const maxStarted = 10_000;
const startedForMs = 60 * 60_000;

/**
 * The rows of a payment are behind its run: PostgreSQL lost commits. Nothing may be sent under them, and no
 * reservation released, before the sweep has compared them with the provider. ADR 0038.
 */
export class RowsBehindRun extends Error {
  override readonly name = 'RowsBehindRun';
}

/** The payment workflows as the API sees them. Refusals of the workflow and faults come as `Refusal`. */
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
   * The checkout as the workflow holds it; null when it does not answer soon, is closed, or was never
   * started.
   */
  snapshot(paymentId: string): Promise<CheckoutSnapshot | null>;
  /**
   * Signals a workflow that the network has news. A run that is gone or stuck is replaced by one that resumes
   * from the rows, but not one that has completed: the sweep compares its rows first. Faults are thrown.
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
      // Closed already: nothing to start.
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
      // One flight per payment and process: a queue of equal queries would only slow the workflow down.
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
      // The rows are behind a run that has completed: none resumes from them before the sweep restores them.
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

type SendUpdate = <T, Args extends [] | [object]>(
  payment: CheckoutPayment,
  requestId: string,
  definition: UpdateDefinition<T, Args>,
  args: Args,
) => Promise<T>;

/**
 * Returns what sends an update to a payment's workflow, with the start where there is none yet. A run that is
 * gone or stuck is replaced by one that goes on from the rows. Throws `Refusal`: the workflow's own, or
 * service_unavailable.
 */
function createUpdateSender(
  deps: WorkflowClientDeps,
  {
    start,
    wasStarted,
  }: {
    start: (payment: StartablePayment, resume: boolean) => Promise<void>;
    /** Whether the workflow was started here, although the row as it was read does not say so. */
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
    // Temporal takes no delay from a start that an update comes with.
    const { startDelay: _, ...starting } = paymentWorkflowStart(payment, queuePrefix, now());
    return client.workflow.executeUpdateWithStart<PaymentWorkflow, T, [object]>(update, {
      ...options,
      startWorkflowOperation: new WithStartWorkflowOperation<PaymentWorkflow>(workflowTypes.payment, {
        ...starting,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      }),
    });
  };

  /** Whether a call failed because its run is gone, or is stuck: then it is gone afterwards. */
  const cannotGoOn = async (paymentId: string, error: unknown): Promise<boolean> => {
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
      // The request's id makes a repeated send of this very request harmless; it says nothing about the card.
      return await within(waits.update, () =>
        retryUntilAdmitted(() => send(payment, requestId, definition, args, { startsWithUpdate }), now),
      );
    } catch (error) {
      if (await isAhead(payment, error)) {
        throw new Refusal('service_unavailable', { cause: new RowsBehindRun('rows are behind the run') });
      }
      if (mayResume && (await cannotGoOn(payment.id, error))) {
        // Heal it here instead of waiting for the sweep.
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
 * Returns whether the run of a payment has ended and is ahead of its rows: no other run may continue from
 * them.
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
      // It does not replay, or there is none.
      return false;
    }
  };
};

const handles =
  (client: Client) =>
  (paymentId: string): WorkflowHandle<PaymentWorkflow> =>
    client.workflow.getHandle<PaymentWorkflow>(paymentWorkflowId(paymentId));
