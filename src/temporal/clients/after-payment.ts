import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { DisputeRecord } from '../../domain/dispute.ts';
import type { RefundRecord } from '../../domain/refund.ts';
import { Refusal, isRefusalCode } from '../../domain/refusals.ts';
import type { SandboxOrder, SandboxResult } from '../../domain/sandbox.ts';
import { takingTurns } from './retry-update.ts';
import {
  type FollowedPayment,
  type RefundNews,
  answerDispute,
  disputeNews,
  disputeStart,
  refundNews,
  refundStart,
} from '../contract/after-payment.ts';
import { disputeWorkflowId, sandboxWorkflowId, taskQueue } from '../contract/ids.ts';

/** Longest wait for each kind of call, in ms. */
const waits = { start: 1_500, signal: 2_000, update: 20_000, result: 18_000 } as const;

/** The workflows that follow a payment, as the API sees them. Faults come as `Refusal` service_unavailable. */
export interface AfterPaymentWorkflows {
  /** Starts the refund's workflow, or finds it started. `eventIds`: committed events to deliver. */
  startRefund(refund: RefundRecord, eventIds: string[]): Promise<void>;
  /** Tells the refund's workflow of news, starting it again if it has ended. */
  tellRefund(refund: RefundRecord, news: RefundNews): Promise<void>;
  /** Tells the dispute's workflow of news, starting it if there is none. */
  tellDispute(dispute: FollowedPayment & { id: string; reference: string }): Promise<void>;
  /** Passes the merchant's final answer on. Throws what the network refuses with. */
  answerDispute(dispute: DisputeRecord, operationId: string, answer: 'submit' | 'accept'): Promise<void>;
  /** Runs an order of the sandbox once and answers its result. */
  runSandboxOrder(operationId: string, order: SandboxOrder): Promise<SandboxResult>;
}

/** Talks to the refund, dispute and sandbox workflows through a Temporal client, with a deadline on every call. */
export function createAfterPaymentWorkflows(deps: {
  client: Client;
  queuePrefix: string;
  now: () => number;
}): AfterPaymentWorkflows {
  const { client, now } = deps;
  const queue = taskQueue(deps.queuePrefix, 'payments');
  const within = async <T>(waitMs: number, call: () => Promise<T>): Promise<T> => {
    try {
      return await client.connection.withDeadline(now() + waitMs, call);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal('service_unavailable', { cause: error });
    }
  };
  const again = {
    taskQueue: queue,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  } as const;

  const startOf = (refund: RefundRecord, eventIds: string[]) =>
    refundStart({ ...refund, submitAfterMs: refund.submitAfter.getTime(), eventIds });

  const tellDispute: AfterPaymentWorkflows['tellDispute'] = async (dispute) => {
    await within(waits.signal, () =>
      client.workflow.signalWithStart('disputeWorkflow', {
        ...disputeStart(dispute),
        ...again,
        signal: disputeNews,
        signalArgs: [],
      }),
    );
  };

  const sendAnswer = (dispute: DisputeRecord, operationId: string, answer: 'submit' | 'accept') =>
    takingTurns(
      () =>
        client.workflow
          .getHandle(disputeWorkflowId(dispute.id))
          .executeUpdate<void, [{ answer: 'submit' | 'accept' }]>(answerDispute, {
            args: [{ answer }],
            updateId: operationId,
          }),
      now,
    );

  return {
    async startRefund(refund, eventIds) {
      await within(waits.start, async () => {
        await client.workflow.start('refundWorkflow', {
          ...startOf(refund, eventIds),
          ...again,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        });
      });
    },
    async tellRefund(refund, news) {
      await within(waits.signal, () =>
        client.workflow.signalWithStart('refundWorkflow', {
          ...startOf(refund, []),
          ...again,
          signal: refundNews,
          signalArgs: [news],
        }),
      );
    },
    tellDispute,
    answerDispute: (dispute, operationId, answer) =>
      within(waits.update, async () => {
        try {
          await sendAnswer(dispute, operationId, answer);
        } catch (error) {
          if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
            const { type } = error.cause;
            if (isRefusalCode(type)) throw new Refusal(type, { cause: error });
          }
          if (!(error instanceof WorkflowNotFoundError)) throw error;
          // Its run was lost: begin another and hand the answer to that one.
          await tellDispute({ ...dispute, reference: dispute.providerReference });
          await sendAnswer(dispute, operationId, answer);
        }
      }),
    runSandboxOrder: (operationId, order) =>
      within(waits.result, async () => {
        const workflowId = sandboxWorkflowId(operationId);
        try {
          await client.workflow.start('sandboxWorkflow', {
            workflowId,
            taskQueue: queue,
            args: [{ operationId, order }],
            workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
            workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
            workflowExecutionTimeout: '1 minute',
            staticSummary: `sandbox · ${order.type}`,
          });
        } catch (error) {
          // It has run to its end: its result stands.
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
        return client.workflow.getHandle(workflowId).result() as Promise<SandboxResult>;
      }),
  };
}
