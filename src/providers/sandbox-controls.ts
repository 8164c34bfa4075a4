import type { NetworkDecision } from '../domain/sandbox.ts';
import type { NetworkDispute } from './dispute-port.ts';

/**
 * The orders of a merchant at the simulators, about its own sandbox payments. `refused`: the order does not
 * apply to the object's present state, or the object is another merchant's or live.
 */
export interface SandboxControls {
  simulateCharge(
    merchantId: string,
    key: string,
    order: {
      outcome: 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending';
      failureCode: string | null;
      afterSeconds: number;
    },
  ): Promise<'done' | 'refused'>;
  answerChallenge(
    merchantId: string,
    key: string,
    result: 'authenticated' | 'failed' | 'abandoned',
  ): Promise<'done' | 'refused'>;
  moveClock(merchantId: string, paymentId: string, checkoutExpiresAt: string): Promise<void>;
  simulateRefund(
    merchantId: string,
    key: string,
    order: { outcome: 'succeeded' | 'failed'; failureCode: string | null },
  ): Promise<'done' | 'refused' | 'unknown'>;
  openDispute(
    merchantId: string,
    key: string,
    order: {
      paymentId: string;
      reason: string;
      stage: NetworkDispute['stage'] | null;
      amountCents: number | null;
      dueInSeconds: number | null;
    },
  ): Promise<NetworkDispute | 'refused'>;
  resolveDispute(
    merchantId: string,
    disputeId: string,
    key: string,
    outcome: NetworkDecision,
  ): Promise<'done' | 'refused'>;
  injectFault(
    merchantId: string,
    target: 'vault' | 'network',
    fault: { mode: string; count: number; paymentId: string | null },
  ): Promise<'done' | 'refused'>;
}
