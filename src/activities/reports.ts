import type { Outcome } from '../domain/checkout.ts';

/** What an activity found out about an attempt. Nothing secret: it travels through workflow history. */
export interface ProviderReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
}

/** The activities a payment's workflow calls, as it sees them. */
export interface ProviderActivities {
  /** Registers capture access at the vault and stores its sealed secret. Repeating it changes nothing. */
  registerCapture(input: { paymentId: string }): Promise<void>;
  /** Revokes capture access at the vault and wipes its secret. */
  endCapture(input: { paymentId: string }): Promise<void>;
  /** Checks the token, records the attempt and sends the charge, once, under the attempt's key. */
  authorize(input: {
    paymentId: string;
    attemptNo: number;
    inputId: string;
    seq: number;
  }): Promise<ProviderReport>;
  /** Completes the attempt after the customer's step. */
  confirmAttempt(input: { paymentId: string; attemptNo: number }): Promise<ProviderReport>;
  /** Asks the network until it knows; `close` also makes sure that nothing can be charged any more. */
  settleAttempt(input: { paymentId: string; attemptNo: number; close: boolean }): Promise<ProviderReport>;
}
