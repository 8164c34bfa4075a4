import type { ProviderAction } from '../domain/action.ts';
import type { CardFacts } from '../domain/card.ts';
import type { Environment, PaymentMethod } from '../domain/statuses.ts';

export interface CaptureSession {
  reference: string;
  paymentId: string;
  merchantId: string;
  environment: Environment;
  /**
   * `single`: one card per payment (custom mode); `multi`: another card per attempt (hosted page, AMB-64).
   */
  mode: 'single' | 'multi';
  secretSha256?: string;
  frameKeySha256?: string;
  expiresAt: string;
  allowedOrigin: string;
  /** Sites that may frame the page that frames the fields (an embedded checkout). */
  ancestorOrigins?: string[];
}

export type ClaimResult = { status: 'accepted'; card: CardFacts } | { status: 'rejected' };

/**
 * The card vault, seen from the service. Every call may be repeated. Throws `ProviderUnavailable` when the
 * vault did not answer definitely.
 */
export interface VaultClient {
  registerSession(session: CaptureSession): Promise<{ captureUrl: string }>;
  revokeSession(reference: string): Promise<void>;
  /** Asks whether the token is this payment's; accepting ends capture access in `single` mode. */
  claimToken(input: {
    reference: string;
    token: string;
    paymentId: string;
    merchantId: string;
    environment: Environment;
  }): Promise<ClaimResult>;
}

/**
 * A charge as the network tells it. `declined` may be tried again, `failed` is final, `pending` is not
 * decided.
 */
export interface Charge {
  chargeId: string;
  key: string;
  paymentId: string;
  amountCents: number;
  currency: 'USD';
  status: 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending' | 'voided';
  failureCode: string | null;
  message: string | null;
  card: { brand: string; last4: string } | null;
  action: ProviderAction | null;
  /** The customer has done the step: confirming decides. Null where the network does not tell. */
  stepDone: boolean | null;
}

export interface ChargeRequest {
  /** `<paymentId>:<attemptNo>`: the same attempt always carries the same key. */
  key: string;
  paymentId: string;
  merchantId: string;
  environment: Environment;
  amountCents: number;
  method: PaymentMethod;
  cardToken?: string;
  customer: {
    name: string | null;
    email: string | null;
    documentNumber: string | null;
    phone: string | null;
  };
  checkoutExpiresAt: string;
  returnUrl: string;
  /** Sites that may frame the checkout page, and with it the customer's step. */
  ancestorOrigins?: string[];
}

/** An attempt as the network is told of it when its key is closed. */
export interface AttemptReference {
  key: string;
  paymentId: string;
  merchantId: string;
  environment: Environment;
  amountCents: number;
}

/**
 * How it becomes certain that a key which the network has never seen will not be charged. `tombstone`: the
 * network closes it for ever when asked to, and returns the charge if there already is a result. `horizon`:
 * it cannot; a request that was not seen within `afterMs` of being sent never arrives, so the key is only
 * looked up until then.
 */
export type UnseenKeys =
  | { closedBy: 'tombstone'; close: (attempt: AttemptReference) => Promise<Charge> }
  | { closedBy: 'horizon'; afterMs: number };

/**
 * The payment network, seen from the service. Definite answers are values; `ProviderUnavailable` says whether
 * the request may have had an effect.
 */
export interface PaymentNetwork {
  charge(request: ChargeRequest): Promise<Charge | 'token_rejected'>;
  /** Null: the network does not know the key, or not yet. */
  lookup(attempt: AttemptReference): Promise<Charge | null>;
  confirm(attempt: AttemptReference): Promise<Charge>;
  /** Ends a charge that the network knows and has not decided; returns it as it is then. */
  cancel(attempt: AttemptReference): Promise<Charge>;
  readonly unseenKeys: UnseenKeys;
}

/** A refund as the network tells it; `succeeded` can still become `failed`. */
export interface NetworkRefund {
  key: string;
  paymentId: string;
  amountCents: number;
  status: 'pending' | 'succeeded' | 'failed';
  failureCode: string | null;
}

export interface RefundRequest {
  /** The refund's id: the same refund always carries the same key. */
  key: string;
  paymentId: string;
  /** Key of the charge that took the money. */
  chargeKey: string;
  amountCents: number;
}

/** Refunds at the payment network. Definite answers are values; `ProviderUnavailable` for everything else. */
export interface RefundNetwork {
  /** `refused`: the network will never give this money back; nothing is recorded under the key. */
  refund(request: RefundRequest): Promise<NetworkRefund | 'refused'>;
  lookupRefund(key: string): Promise<NetworkRefund | null>;
  /**
   * Makes sure nothing can be refunded under the key any more; returns the refund if there already is one.
   */
  voidRefund(request: RefundRequest): Promise<NetworkRefund>;
}

/** A dispute as the network tells it. Instants in ISO 8601. */
export interface NetworkDispute {
  disputeId: string;
  paymentId: string;
  amountCents: number;
  reason: string;
  stage: 'inquiry' | 'chargeback' | 'preArbitration';
  status: 'needsResponse' | 'underReview' | 'won' | 'lost' | 'withdrawn';
  evidenceDueAt: string;
  createdAt: string;
}

/**
 * Disputes at the payment network. `refused`: the dispute is not in a state that allows it; read it again.
 */
export interface DisputeNetwork {
  /**
   * The disputes that were opened or changed behind `cursor`, null for the beginning, in the order of their
   * last change; a dispute may come again. `cursor` in the answer is where to go on; it is the one given when
   * nothing changed.
   */
  listDisputeChanges(
    cursor: string | null,
  ): Promise<{ disputes: NetworkDispute[]; cursor: string | null; more: boolean }>;
  readDispute(disputeId: string): Promise<NetworkDispute | null>;
  submitEvidence(
    disputeId: string,
    key: string,
    evidence: Record<string, string>,
  ): Promise<NetworkDispute | 'refused'>;
  acceptDispute(disputeId: string, key: string): Promise<NetworkDispute | 'refused'>;
}

/**
 * What a merchant may order of the simulators, about its own sandbox payments. `refused`: it does not apply
 * to the object as it is, or to one of another merchant or of live.
 */
export interface SandboxControls {
  orderCharge(
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
  orderRefund(
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
    outcome: 'won' | 'lost' | 'withdrawn',
  ): Promise<'done' | 'refused'>;
  orderFault(
    merchantId: string,
    target: 'vault' | 'network',
    fault: { mode: string; count: number; paymentId: string | null },
  ): Promise<'done' | 'refused'>;
}

/** A provider did not answer definitely. `sent` is false only when no byte of the request can have left. */
export class ProviderUnavailable extends Error {
  readonly sent: boolean;

  constructor(provider: 'vault' | 'network', sent: boolean, detail: string) {
    super(`${provider} unavailable: ${detail}`);
    this.name = 'ProviderUnavailable';
    this.sent = sent;
  }
}
