import { CancellationScope, allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import { checkoutStatus } from '../../domain/checkout.ts';
import type { PaymentWorkflowInput, PaymentWorkflowResult } from '../../temporal/contract/payment.ts';
import { createOperatorView } from '../operator-view.ts';
import { providerActivities } from '../provider-activities.ts';
import { createWebhookDispatcher } from '../webhook-dispatch.ts';
import { CaptureAccess } from './capture-access.ts';
import { Deadlines } from './deadlines.ts';
import { handleCallers, handleOperators } from './handlers.ts';
import { handleMessages, resolveWhatWasLeft } from './loop.ts';
import { ProviderWork } from './provider-work.ts';
import { createRowWriter, resumeRows } from './rows.ts';
import { PaymentRun } from './run.ts';

/**
 * The life of one payment: one run, from creation until nothing can change any more.
 *
 * Update handlers take the fence (`run.state.flight`) before their first await and wait; the loop is the only
 * place that resolves anything: it decides, commits, then lets the new state be seen. Provider work runs
 * beside the loop and reports back through the inbox, so a deadline is seen while a charge is out.
 * Spec: States and transitions; docs/architecture.md, "The way of one payment".
 */
export async function paymentWorkflow(input: PaymentWorkflowInput): Promise<PaymentWorkflowResult> {
  const { taskQueue } = workflowInfo();
  const provider = providerActivities(taskQueue);
  const webhooks = createWebhookDispatcher(taskQueue);

  // Before the handlers: what arrives meanwhile waits until the checkout is known.
  const resumed = input.resume ? await resumeRows(input.paymentId) : null;
  const run = new PaymentRun(input, resumed);

  const view = createOperatorView();
  let needsAttention = false;
  const show = (): void => view(run.state, needsAttention);
  const work = new ProviderWork(run, provider, (alert) => {
    needsAttention = alert;
    show();
  });
  const capture = new CaptureAccess(run, provider, work, resumed !== null);
  const deadlines = new Deadlines(run);
  const parts = { run, work, capture, deadlines, commit: createRowWriter(run, webhooks), show };

  handleOperators(parts);
  handleCallers(parts, provider);
  // Cancel in the Temporal UI means what `operatorCloseCheckout` means.
  CancellationScope.current().cancelRequested.catch(() => run.close());

  await CancellationScope.nonCancellable(async () => {
    show();
    resolveWhatWasLeft(run, work);
    void deadlines.watch();
    await handleMessages(parts);
    deadlines.reset();
    await condition(allHandlersFinished);
    await webhooks.flushed();
  });
  return { paymentStatus: run.state.paymentStatus, checkoutStatus: checkoutStatus(run.state) };
}
