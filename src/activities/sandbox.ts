import type { SandboxOrder, SandboxResult } from '../domain/sandbox.ts';
import type { SandboxControls } from '../providers/sandbox-controls.ts';

/**
 * The activities of a sandbox workflow, as it sees them. `operationId`: the same for every repetition of an
 * order. `refused`: the simulator does not accept the order in the present state.
 */
export interface SandboxActivities {
  runSandboxOrder(input: { operationId: string; order: SandboxOrder }): Promise<SandboxResult>;
}

/** Returns the activity that sends orders to the simulators. Throws while one does not answer definitely. */
export function createSandboxActivities(deps: {
  controls: SandboxControls;
  isRefundCanceled: (refundId: string) => Promise<boolean>;
}): SandboxActivities {
  const { controls, isRefundCanceled } = deps;
  const resultOf = (status: 'done' | 'refused'): SandboxResult => ({ status, disputeReference: null });

  const run = async (operationId: string, order: SandboxOrder): Promise<SandboxResult> => {
    const { merchantId } = order;
    switch (order.type) {
      case 'chargeOutcome': {
        const { outcome, failureCode, afterSeconds } = order;
        return resultOf(
          await controls.simulateCharge(merchantId, order.key, { outcome, failureCode, afterSeconds }),
        );
      }
      case 'challenge':
        return resultOf(await controls.answerChallenge(merchantId, order.key, order.result));
      case 'clock':
        await controls.moveClock(merchantId, order.paymentId, order.checkoutExpiresAt);
        return resultOf('done');
      case 'openDispute': {
        const opened = await controls.openDispute(merchantId, operationId, order);
        return opened === 'refused'
          ? resultOf('refused')
          : { status: 'done', disputeReference: opened.disputeId };
      }
      case 'resolveDispute':
        return resultOf(
          await controls.resolveDispute(merchantId, order.reference, operationId, order.outcome),
        );
      case 'refundOutcome': {
        const { outcome, failureCode } = order;
        const status = await controls.simulateRefund(merchantId, order.refundId, { outcome, failureCode });
        if (status !== 'unknown') return resultOf(status);
        // The refund was canceled after the order was accepted, so the network never gets it.
        if (await isRefundCanceled(order.refundId)) return resultOf('refused');
        // Temporal retries the activity: the refund is being submitted.
        throw new Error(`the network does not know refund ${order.refundId} yet`);
      }
      case 'fault':
        return resultOf(await controls.injectFault(merchantId, order.target, order));
    }
  };

  return {
    runSandboxOrder: ({ operationId, order }) => run(operationId, order),
  };
}
