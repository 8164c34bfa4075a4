/** The outcomes that can be set for a charge. */
export type ChargeOutcome = 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending';

/** The network's decision about a dispute; `escalated`: it moves to its next stage. */
export type NetworkDecision = 'won' | 'lost' | 'withdrawn' | 'escalated';

/** An outcome that was set for one attempt. `afterSeconds`: how long it stays pending. */
export interface SimulatedOutcome {
  outcome: ChargeOutcome;
  failureCode: string | null;
  afterSeconds: number;
}

/**
 * A change that the sandbox orders at the simulators, for the payments of one merchant only. Keys are the
 * provider keys of charges and refunds.
 */
export type SandboxOrder = { merchantId: string } & OrderedChange;

type OrderedChange =
  | ({ type: 'chargeOutcome'; key: string } & SimulatedOutcome)
  | { type: 'challenge'; key: string; result: 'authenticated' | 'failed' | 'abandoned' }
  | { type: 'clock'; paymentId: string; checkoutExpiresAt: string }
  | {
      type: 'openDispute';
      paymentId: string;
      reason: string;
      stage: 'inquiry' | 'chargeback' | 'preArbitration' | null;
      amountCents: number | null;
      dueInSeconds: number | null;
    }
  | { type: 'resolveDispute'; reference: string; outcome: NetworkDecision }
  | { type: 'refundOutcome'; refundId: string; outcome: 'succeeded' | 'failed'; failureCode: string | null }
  | {
      type: 'fault';
      target: 'vault' | 'network';
      mode: string;
      count: number;
      paymentId: string | null;
    };

/**
 * `refused`: the order does not apply to the object's present state. `disputeReference`: the dispute that was
 * opened.
 */
export interface SandboxResult {
  status: 'done' | 'refused';
  disputeReference: string | null;
}

/** Failure codes after which the card must not be tried again. */
const finalCodes = ['lost_card', 'stolen_card', 'fraud_suspected'];

/**
 * Returns an ordered outcome in the form that the network takes. `failed` with a final code fails the payment
 * permanently; with another code the customer may try again. docs/sandbox.md.
 */
export function simulatedOutcome(order: {
  outcome: 'paid' | 'failed' | 'requiresAction' | 'processing';
  failureCode?: string | undefined;
  afterSeconds?: number | undefined;
}): SimulatedOutcome {
  const { outcome, failureCode = null, afterSeconds = 0 } = order;
  switch (outcome) {
    case 'paid':
      return { outcome: 'captured', failureCode: null, afterSeconds };
    case 'requiresAction':
      return { outcome: 'requires_action', failureCode: null, afterSeconds };
    case 'processing':
      return { outcome: 'pending', failureCode: null, afterSeconds };
    case 'failed': {
      const final = failureCode === null || finalCodes.includes(failureCode);
      return { outcome: final ? 'failed' : 'declined', failureCode, afterSeconds };
    }
  }
}
