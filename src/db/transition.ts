import type { CheckoutStatus, PaymentMethod, PaymentStatus, TerminalReason } from '../domain/statuses.ts';

/** One step of a payment's workflow, with everything the rows need; nothing secret. Instants in epoch ms. */
export interface Transition {
  paymentId: string;
  /** Rises by one per transition of a payment. */
  seq: number;
  at: number;
  paymentStatus: PaymentStatus;
  checkoutStatus: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  method: PaymentMethod | null;
  failure: { code: string; message: string } | null;
  attempt: {
    attemptNo: number;
    status: 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided' | 'released';
    /** The vault accepted the card: a payment in custom mode takes no other. */
    cardAccepted: boolean;
    failureCode: string | null;
    message: string | null;
    card: { brand: string; last4: string } | null;
  } | null;
  /** False for the deadline: its changes send no webhook. Spec: Events. */
  emitEvent: boolean;
  /** No transition can follow. */
  final: boolean;
  /** What becomes of capture access: `endedAtVault` where the vault ended it by accepting the card. */
  capture: 'keep' | 'end' | 'endedAtVault';
  deadlines: { expiresAtMs: number; captureEndsAtMs: number } | null;
}

/** Whether no attempt can start after it. */
export const isClosing = ({ checkoutStatus }: Transition): boolean =>
  checkoutStatus === 'paid' || checkoutStatus === 'expired';
