import {
  type Client,
  type Workflow,
  type WorkflowHandle,
  type WorkflowExecutionDescription,
  type WorkflowHandleWithSignaledRunId,
  type WorkflowHandleWithStartDetails,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { CheckoutPayment } from '../../../src/domain/payment.ts';
import { createPaymentWorkflows } from '../../../src/temporal/clients/payments.ts';
import { partial } from '../../support/partial.ts';

const maxKept = 10_000;

/** Returns a payment as read before its workflow was started. */
const paymentOf = (index: number): CheckoutPayment =>
  partial<CheckoutPayment>({
    id: `payment ${index}`,
    merchantId: 'merchant',
    environment: 'sandbox',
    checkoutMode: 'custom',
    amountCents: 2_500,
    expiresAt: new Date(1_800_000),
    captureExpiresAt: new Date(600_000),
    workflowStartedAt: null,
  });

it('forgets only the oldest start when its memory is full; its pay then starts the workflow itself', async () => {
  const sent: string[] = [];
  const refuse = (call: string) => (): Promise<never> => {
    sent.push(call);
    const cause = ApplicationFailure.nonRetryable('refused', 'payment_in_progress');
    return Promise.reject(new WorkflowUpdateFailedError('refused', cause));
  };
  const client = partial<Client>({
    connection: partial<Client['connection']>({ withDeadline: (_until, call) => call() }),
    workflow: partial<Client['workflow']>({
      start: async <T extends Workflow>() => partial<WorkflowHandleWithStartDetails<T>>({}),
      getHandle: <T extends Workflow>() => partial<WorkflowHandle<T>>({ executeUpdate: refuse('update') }),
      executeUpdateWithStart: refuse('update with start'),
    }),
  });
  const workflows = createPaymentWorkflows({ client, queuePrefix: '', now: () => 0 });
  for (let index = 0; index <= maxKept; index += 1) await workflows.start(paymentOf(index));
  for (const index of [0, 1, maxKept]) {
    const pay = workflows.pay(paymentOf(index), { attemptNo: 1, method: 'card', requestId: '' });
    await expect(pay).rejects.toMatchObject({ code: 'payment_in_progress' });
  }
  expect(sent).toEqual(['update with start', 'update', 'update']);
});

type Status = WorkflowExecutionDescription['status'];

it.each<[string, Status['name'] | null, number]>([
  ['starts a run where the run is gone', null, 1],
  ['starts a run where the last one was terminated', 'TERMINATED', 1],
  ['starts none where the last one completed', 'COMPLETED', 0],
])('a hint of the provider %s', async (_, status, starts) => {
  let started = 0;
  const describe = (): Promise<WorkflowExecutionDescription> =>
    status === null
      ? Promise.reject(new WorkflowNotFoundError('not found', 'payment 1', undefined))
      : Promise.resolve(partial<WorkflowExecutionDescription>({ status: partial<Status>({ name: status }) }));
  const client = partial<Client>({
    connection: partial<Client['connection']>({ withDeadline: (_until, call) => call() }),
    workflow: partial<Client['workflow']>({
      getHandle: <T extends Workflow>() => partial<WorkflowHandle<T>>({ describe }),
      signalWithStart: <T extends Workflow>() => {
        started += 1;
        return Promise.resolve(partial<WorkflowHandleWithSignaledRunId<T>>({}));
      },
    }),
  });
  const workflows = createPaymentWorkflows({ client, queuePrefix: '', now: () => 0 });
  await workflows.notifyProviderEvent(paymentOf(1), true);
  expect(started).toBe(starts);
});
