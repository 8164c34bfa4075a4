import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  CheckoutMode,
  CheckoutStatus,
  Environment,
  PaymentMethod,
  PaymentStatus,
  TerminalReason,
} from '../../domain/statuses.ts';

/**
 * Input of a payment's workflow: references, instants and the shop's addresses. It holds no secret and no
 * customer data.
 */
export interface PaymentWorkflowInput {
  paymentId: string;
  merchantId: string;
  environment: Environment;
  mode: CheckoutMode;
  amountCents: number;
  /** Absolute instants, set once at creation, so that a late start or a reset does not move them. */
  expiresAtMs: number;
  captureEndsAtMs: number;
  /**
   * Facts that are otherwise only in the rows. A payment whose rows were lost is restored with them (ADR
   * 0062). Absent in the input of a run that an earlier version began.
   */
  creation?: {
    reference: string;
    successUrl: string;
    cancelUrl: string;
    connectorId: string | null;
    /** Keyed hash of the creation's Idempotency-Key, in hex; null: not known. */
    keyHash: string | null;
  };
  /** An earlier run is gone: resume from the rows instead of opening a new checkout. */
  resume?: true;
}

/** The result of a payment's workflow. */
export interface PaymentWorkflowResult {
  paymentStatus: PaymentStatus;
  checkoutStatus: CheckoutStatus;
}

/** The payment's workflow as its starters see it. */
export type PaymentWorkflow = (input: PaymentWorkflowInput) => Promise<PaymentWorkflowResult>;

/** The result of one attempt as the workflow returns it; the API adds the secrets. Spec: Attempt result. */
export type AttemptResult =
  | { status: 'paid' }
  | { status: 'requiresAction'; attemptNo: number }
  | { status: 'failed'; failureCode: string; message: string; attemptsLeft: number };

/** The checkout as of now, for status and checkout reads. Instants in epoch ms. */
export interface CheckoutSnapshot {
  status: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  expiresAtMs: number;
  captureEndsAtMs: number;
  /** Compared with the projection row's `state_seq`: the higher one is newer. */
  seq: number;
  /** The latest attempt that the run knows; missing in the answer of a worker of 0.1.0. */
  lastAttempt?: { attemptNo: number; method: PaymentMethod | null };
}

/** Makes the attempt that is reserved in the rows under this number. */
export const payUpdate = defineUpdate<AttemptResult, [{ attemptNo: number; method: PaymentMethod }]>('pay');
export const confirmUpdate = defineUpdate<AttemptResult>('confirm');
/** The customer gives up an open action on the hosted page to try another card or method. */
export const abandonActionUpdate = defineUpdate<AttemptResult>('abandonAction');
/** Moves both deadlines nearer by seconds (sandbox clock). */
export const advanceClockUpdate = defineUpdate<
  { expiresAtMs: number; captureEndsAtMs: number },
  [{ bySeconds: number }]
>('advanceClock');
export const operatorCloseCheckoutUpdate = defineUpdate<CheckoutSnapshot>('operatorCloseCheckout');
export const operatorReconcileNowSignal = defineSignal('operatorReconcileNow');
/** The network reported a change. Only a hint: the network is read again. */
export const providerEventSignal = defineSignal<[{ mayConfirm: boolean }]>('providerEvent');
/** The rows may be ahead of the run, as after a reset. The run reads them and resumes from there. */
export const resumePaymentSignal = defineSignal('resumePayment');
export const statusQuery = defineQuery<CheckoutSnapshot>('status');
