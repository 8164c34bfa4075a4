import { WorkflowNotFoundError } from '@temporalio/client';
import { paymentIdOf, paymentWorkflowId, refundIdOf, taskQueue, workflowTypes } from '../contract/ids.ts';
import type { PaymentWorkflowInput } from '../contract/payment.ts';
import { type WorkflowClientDeps, withinDeadline } from './calls.ts';
import { grpcCodeOf, grpcCodes } from './grpc-codes.ts';

/** Longest wait for each call, in ms. */
const waitMs = 5_000;
const listPageSize = 500;
/** The most workflows that one query names. */
const namedPerQuery = 100;
/** `WorkflowExecutionStatus` of Temporal's API. */
const completed = 2;

/** A run of a payment or refund, as Temporal lists it. */
export interface KnownRun {
  kind: 'payment' | 'refund';
  id: string;
  /** Epoch ms. */
  startedAtMs: number;
  /** The run ended by itself: nothing can follow. */
  hasCompleted: boolean;
}

/** Temporal's runs of payments and refunds, for the comparison with rows. Faults are thrown. */
export interface KnownRuns {
  /** Lists the runs that began or ended since an instant, page by page; Temporal lists a new run late. */
  listSince(since: Date): AsyncIterable<KnownRun[]>;
  /** Returns those of these payments that have an open run. */
  haveOpenRun(paymentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the input of a payment's latest run; null: Temporal knows none. */
  inputOf(paymentId: string): Promise<PaymentWorkflowInput | null>;
}

/** Returns a reader of Temporal's runs, with a deadline on every call. */
export function createKnownRuns(deps: Pick<WorkflowClientDeps, 'client' | 'queuePrefix'>): KnownRuns {
  const { client, queuePrefix } = deps;
  const within = withinDeadline(deps);
  const { namespace } = client.options;
  const queue = taskQueue(queuePrefix, 'payments');
  const list = (query: string, nextPageToken: Uint8Array, pageSize: number) =>
    within(waitMs, () =>
      client.workflowService.listWorkflowExecutions({ namespace, pageSize, query, nextPageToken }),
    );

  return {
    async *listSince(since) {
      const at = since.toISOString();
      const query = `TaskQueue = '${queue}' AND WorkflowType IN ('${workflowTypes.payment}', '${workflowTypes.refund}')
        AND (StartTime >= '${at}' OR CloseTime >= '${at}')`;
      let nextPageToken: Uint8Array = new Uint8Array();
      do {
        const page = await list(query, nextPageToken, listPageSize);
        yield page.executions.flatMap(({ execution, status, startTime }): KnownRun[] => {
          const workflowId = execution?.workflowId ?? '';
          const facts = {
            startedAtMs: Number(startTime?.seconds ?? 0) * 1_000 + (startTime?.nanos ?? 0) / 1e6,
            hasCompleted: Number(status) === completed,
          };
          const paymentId = paymentIdOf(workflowId);
          if (paymentId !== null) return [{ kind: 'payment', id: paymentId, ...facts }];
          const refundId = refundIdOf(workflowId);
          return refundId === null ? [] : [{ kind: 'refund', id: refundId, ...facts }];
        });
        nextPageToken = page.nextPageToken;
      } while (nextPageToken.length > 0);
    },

    async haveOpenRun(paymentIds) {
      const open = new Set<string>();
      for (let at = 0; at < paymentIds.length; at += namedPerQuery) {
        const named = paymentIds.slice(at, at + namedPerQuery).map((id) => `'${paymentWorkflowId(id)}'`);
        const query = `WorkflowId IN (${named.join(', ')}) AND ExecutionStatus = 'Running'`;
        const page = await list(query, new Uint8Array(), named.length);
        for (const { execution } of page.executions) {
          const id = paymentIdOf(execution?.workflowId ?? '');
          if (id !== null) open.add(id);
        }
      }
      return open;
    },

    async inputOf(paymentId) {
      const workflowId = paymentWorkflowId(paymentId);
      try {
        const { history } = await within(waitMs, () =>
          client.workflowService.getWorkflowExecutionHistory({
            namespace,
            execution: { workflowId },
            maximumPageSize: 1,
          }),
        );
        const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
        const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
        const context = { type: 'workflow', namespace, workflowId } as const;
        let payloads = started?.input?.payloads ?? [];
        for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads, context);
        const [input] = payloads;
        return input === undefined
          ? null
          : payloadConverter.fromPayload<PaymentWorkflowInput>(input, context);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || grpcCodeOf(error) === grpcCodes.notFound) return null;
        throw error;
      }
    },
  };
}
