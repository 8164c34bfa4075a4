import { CancellationScope, allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import { checkoutStatus } from '../../domain/checkout-state.ts';
import type { PaymentWorkflowInput, PaymentWorkflowResult } from '../../temporal/contract/payment.ts';
import { localActivities } from '../local-activities.ts';
import { createOperatorView } from '../operator-view.ts';
import { providerActivities } from '../provider-activities.ts';
import { CaptureAccess } from './capture-access.ts';
import { Deadlines } from './deadlines.ts';
import { setCallerHandlers, setOperatorHandlers } from './handlers.ts';
import { handleMessages, resolveInheritedAttempt } from './loop.ts';
import { ProviderWork } from './provider-work.ts';
import { createRowWriter } from './rows.ts';
import { PaymentRun } from './run.ts';

/**
 * Runs one payment from its creation until nothing about it can change any more. Returns its final statuses.
 *
 * Update handlers take the fence (`run.state.flight`) before their first await and wait for the loop. Only
 * the loop resolves anything: it decides, commits, then publishes the new state. Provider work runs beside
 * the loop and reports back through its inbox, so that a deadline is noticed while a charge is in transit.
 * Spec: States and transitions; docs/payment-path.md, "The parts".
 */
export async function paymentWorkflow(input: PaymentWorkflowInput): Promise<PaymentWorkflowResult> {
  const provider = providerActivities(workflowInfo().taskQueue);
  const local = localActivities();

  // Done before the handlers are set, so that messages wait until the checkout is known.
  const resumed = input.resume ? await local.resumePayment({ paymentId: input.paymentId }) : null;
  const run = new PaymentRun(input, resumed);

  const view = createOperatorView(Date.now());
  let needsAttention = false;
  const show = (): void => view.show(run.state, needsAttention);
  const alert = (raised: boolean): void => {
    if (raised === needsAttention) return;
    needsAttention = raised;
    show();
  };
  const work = new ProviderWork(run, provider, alert);
  const capture = new CaptureAccess(run, local, provider, work);
  const deadlines = new Deadlines(run, local);
  const commit = createRowWriter({ run, local, revokeCapture: () => capture.revoke(), alert });
  const parts = { run, local, work, capture, deadlines, commit, show, note: view.note, alert };

  setOperatorHandlers(parts);
  setCallerHandlers(parts, provider);
  // Cancel in the Temporal UI means what `operatorCloseCheckout` means.
  CancellationScope.current().cancelRequested.catch(() => run.close());

  await CancellationScope.nonCancellable(async () => {
    show();
    resolveInheritedAttempt(run, work);
    void deadlines.watch();
    await handleMessages(parts);
    deadlines.reset();
    await condition(allHandlersFinished);
  });
  return { paymentStatus: run.state.paymentStatus, checkoutStatus: checkoutStatus(run.state) };
}
