import type { ProviderAction } from '../domain/action.ts';
import type { CardFacts } from '../domain/card.ts';
import type { RefundReason } from '../domain/refund.ts';
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
  /** Sites that may frame the page with the fields (an embedded checkout). */
  ancestorOrigins?: string[];
}

export type ClaimResult = { status: 'accepted'; card: CardFacts } | { status: 'rejected' };

/**
 * The card vault as the service uses it. Every call may be repeated. Throws `ProviderUnavailable` when the
 * vault did not answer definitely.
 */
export interface VaultClient {
  /**
   * Registers a session. `secret`: the session's secret, if the vault makes it; otherwise the caller's, whose
   * hash the vault got.
   */
  registerSession(session: CaptureSession): Promise<{ captureUrl: string; secret?: string }>;
  revokeSession(reference: string): Promise<void>;
  /** Deletes every card that was captured under this reference. Null: the vault deletes cards by itself. */
  readonly forgetCards: ((reference: string) => Promise<void>) | null;
  /** Verifies that the token is this payment's card. In `single` mode accepting it ends capture access. */
  claimToken(input: {
    reference: string;
    token: string;
    paymentId: string;
    merchantId: string;
    environment: Environment;
  }): Promise<ClaimResult>;
}

/**
 * A charge as the network returns it. `declined` may be tried again, `failed` is final, `pending` is
 * undecided. `unreadable`: a state that this version does not know, or another charge than requested. It
 * proves nothing, and an operator is alerted.
 */
export interface Charge {
  chargeId: string;
  key: string;
  paymentId: string;
  amountCents: number;
  /** Upper case. Any currency but USD contradicts the request. */
  currency: string;
  status: 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending' | 'voided' | 'unreadable';
  failureCode: string | null;
  message: string | null;
  card: { brand: string; last4: string } | null;
  action: ProviderAction | null;
  /** Whether the customer has done the step and confirming decides; null: the network does not report it. */
  stepDone: boolean | null;
  /** When the network took the money, by its own clock, in epoch ms. Null: not captured, or not reported. */
  capturedAtMs: number | null;
}

export interface ChargeRequest {
  /** `<paymentId>:<attemptNo>`. The same attempt always has the same key. */
  key: string;
  paymentId: string;
  merchantId: string;
  environment: Environment;
  amountCents: number;
  method: PaymentMethod;
  cardToken?: string;
  /** The reference under which the vault stores the card of the token. */
  cardReference?: string;
  /** The network's payment method from a wallet on the checkout page, instead of a card's token. */
  walletToken?: string;
  /** The network's object for this attempt, where the network prepares one. */
  providerReference: string | null;
  customer: {
    name: string | null;
    email: string | null;
    documentNumber: string | null;
    phone: string | null;
  };
  checkoutExpiresAt: string;
  returnUrl: string;
  /** Too many similar tries were declined, so the customer must be challenged where the network can do so. */
  forceChallenge?: true;
  /** Sites that may frame the checkout page and thus the customer's step. */
  ancestorOrigins?: string[];
  /** Facts that the network stores with the charge, to restore a payment that lost its rows. */
  creation?: ChargeCreation;
}

/** The facts of a payment's creation that a charge carries. ADR 0062. */
export interface ChargeCreation {
  /** The merchant's reference. */
  reference: string;
  /** Keyed hash of the creation's Idempotency-Key, in hex; null: not known. */
  keyHash: string | null;
}

/** An attempt's names at the network, to query, confirm or close it. */
export interface AttemptReference {
  key: string;
  paymentId: string;
  merchantId: string;
  environment: Environment;
  amountCents: number;
  /** The network's object for the attempt; null before one was committed, or if the network prepares none. */
  providerReference: string | null;
}

/**
 * How it becomes certain that an attempt whose charge the network has not received will not be charged.
 * `tombstone`: the network closes the key permanently on request, and returns the charge if there is already
 * a result. `object`: the prepared object is canceled, with the same guarantee. `horizon`: neither is
 * possible, but a request that was not seen within `afterMs` of being sent never arrives. The key is only
 * queried until then.
 */
export type UnseenKeys =
  | { closedBy: 'tombstone' | 'object'; close: (attempt: AttemptReference) => Promise<Charge> }
  | { closedBy: 'horizon'; afterMs: number };

/**
 * The result of preparing: the network's id of an object that moves no money before it is charged, with the
 * card's facts if the network returns them, or the network's decision on the card.
 */
export type Prepared =
  | { status: 'prepared'; providerReference: string; card: CardFacts | null }
  | { status: 'declined' | 'failed'; failureCode: string | null; message: string | null }
  | { status: 'token_rejected' };

/**
 * The payment network as the service uses it. Definite answers are return values. `ProviderUnavailable`
 * states whether the request may have had an effect.
 */
export interface PaymentNetwork {
  /**
   * Creates the network's object for an attempt; moves no money, and may be repeated. Once the object's id is
   * committed, `charge` is sent with it. Null: the network identifies attempts by their keys alone. ADR 0018.
   */
  readonly prepare: ((request: ChargeRequest) => Promise<Prepared>) | null;
  /**
   * Returns the network's object for an attempt whose rows do not have its id, or null. Throws TooManyCharges
   * when it cannot be found within some seconds. Null instead of the function: the network identifies
   * attempts by their keys alone.
   */
  readonly findPrepared:
    | ((
        attempt: Pick<AttemptReference, 'key' | 'paymentId'>,
        madeWithin: { createdAt: Date; expiresAt: Date },
      ) => Promise<string | null>)
    | null;
  /** Whether the holder of its secret could still make a declined charge succeed, until it is canceled. */
  readonly declinesStayOpen: boolean;
  /** Whether the network completes a charge after the customer's step, so that confirming only reads it. */
  readonly confirmsByItself: boolean;
  charge(request: ChargeRequest): Promise<Charge | 'token_rejected'>;
  /** Returns the charge; null: the network has not received it, or not yet. */
  lookup(attempt: AttemptReference): Promise<Charge | null>;
  confirm(attempt: AttemptReference): Promise<Charge>;
  /** Cancels an undecided charge. Returns its state after that. */
  cancel(attempt: AttemptReference): Promise<Charge>;
  readonly unseenKeys: UnseenKeys;
}

/** A refund as the network returns it; `succeeded` can still become `failed`. */
export interface NetworkRefund {
  key: string;
  paymentId: string;
  amountCents: number;
  status: 'pending' | 'succeeded' | 'failed';
  failureCode: string | null;
}

export interface RefundRequest {
  /** The refund's id. The same refund always has the same key. */
  key: string;
  paymentId: string;
  /** Key of the charge that is refunded. */
  chargeKey: string;
  /** The network's object behind that charge, if the network prepares one. */
  chargeReference: string | null;
  amountCents: number;
}

/** A refund of a charge as the network lists it, made by the service or at the network. */
export interface FoundRefund {
  /** The network's id of the refund. */
  reference: string;
  /** Our id of the refund; null for a refund that does not name one. */
  key: string | null;
  amountCents: number;
  reason: RefundReason | null;
  status: NetworkRefund['status'];
  failureCode: string | null;
}

/** Refunds that the service did not make: from the network's dashboard, or by the network itself. */
export interface RefundsElsewhere {
  /**
   * Lists the account's refunds that were made after `cursor`, null for the first reading. A refund may be
   * listed again. The returned `cursor` is where to continue; it is the given one when there are none.
   */
  listNewRefunds(cursor: string | null): Promise<{
    refunds: { reference: string; key: string | null; chargeReference: string }[];
    cursor: string | null;
    more: boolean;
  }>;
  /**
   * Lists a bounded number of refunds just before `cursor` that were made shortly before `now`. A refund that
   * the network listed late, out of the order in which refunds were made, is among them. Failed refunds are
   * left out.
   */
  listRefundsBehind(
    cursor: string,
    now: Date,
  ): Promise<{ reference: string; key: string | null; chargeReference: string }[]>;
  /** Returns every refund of a charge. */
  refundsOf(chargeReference: string): Promise<FoundRefund[]>;
}

/** Refunds at the payment network. Definite answers are return values; all else is `ProviderUnavailable`. */
export interface RefundNetwork {
  /**
   * Makes a refund. `refused`: the network will never make it, and nothing is recorded under the key. A call
   * may be repeated under its key, except at networks that close keys permanently.
   */
  refund(request: RefundRequest): Promise<NetworkRefund | 'refused'>;
  lookupRefund(request: RefundRequest): Promise<NetworkRefund | null>;
  /**
   * Makes sure that nothing can be refunded under the key any more; returns the refund if there is one
   * already. Null: the network closes no keys. Then a refund that the network does not show is sent again
   * until it is answered, because only a refusal proves that it was not made.
   */
  readonly voidRefund: ((request: RefundRequest) => Promise<NetworkRefund>) | null;
  /** Null: only the service makes refunds there. */
  readonly elsewhere: RefundsElsewhere | null;
}

/** A dispute as the network returns it. Instants in ISO 8601. */
export interface NetworkDispute {
  disputeId: string;
  paymentId: string;
  /** The network's object behind the disputed charge, where the network prepares one. */
  chargeReference: string | null;
  amountCents: number;
  reason: string;
  stage: 'inquiry' | 'chargeback' | 'preArbitration';
  status: 'needsResponse' | 'underReview' | 'won' | 'lost' | 'withdrawn';
  /** Null: the network names no deadline. */
  evidenceDueAt: string | null;
  createdAt: string;
}

/** Why a dispute cannot be stored as the network shows it: a code, which alerts name. */
export type DisputeProblem =
  'unknown_state' | 'other_currency' | 'malformed' | 'future_instant' | 'payment_never_paid';

/** A dispute in the list of changes that cannot be stored, or not now (`no_answer`). */
export interface UnreadableDispute {
  /** Empty when not even the id can be read. */
  disputeId: string;
  /** The payment that the network names; null when it cannot be read. */
  paymentId: string | null;
  /** The network's object behind the disputed charge, if it can be read. */
  chargeReference: string | null;
  problem: DisputeProblem | 'no_answer';
}

/** A page of changed disputes. */
export interface DisputeChanges {
  disputes: NetworkDispute[];
  unreadable: UnreadableDispute[];
  cursor: string | null;
  more: boolean;
}

/**
 * Disputes at the payment network. Reading and answering throw `DisputeUnreadable` for a dispute that is not
 * understood here. `refused`: the dispute's state does not allow the answer; read the dispute again.
 */
export interface DisputeNetwork {
  /**
   * Lists the disputes that were opened or changed after `cursor`, null for the first reading, in the order
   * of their last change. A dispute may be listed again. The returned `cursor` is where to continue; it is
   * the given one when nothing changed. An unreadable dispute is listed separately and blocks no other.
   */
  listDisputeChanges(cursor: string | null): Promise<DisputeChanges>;
  readDispute(disputeId: string): Promise<NetworkDispute | null>;
  submitEvidence(
    disputeId: string,
    key: string,
    evidence: Record<string, string>,
  ): Promise<NetworkDispute | 'refused'>;
  acceptDispute(disputeId: string, key: string): Promise<NetworkDispute | 'refused'>;
}

/** A provider did not answer definitely. `sent` is false only when no byte of the request was sent. */
export class ProviderUnavailable extends Error {
  readonly sent: boolean;
  /** The wait that the provider asked for, in ms; undefined when it asked for none. */
  retryAfterMs: number | undefined;
  /** The provider knows the key from another request. */
  keyReused = false;

  constructor(provider: 'vault' | 'network', sent: boolean, detail: string) {
    super(`${provider} unavailable: ${detail}`);
    this.name = 'ProviderUnavailable';
    this.sent = sent;
  }
}

/** The network made too many charges to find one of them without its id. */
export class TooManyCharges extends ProviderUnavailable {
  constructor() {
    super('network', true, 'more charges were made meanwhile than are searched');
    this.name = 'TooManyCharges';
  }
}

/** This build does not understand the network's dispute, and does not act on it. */
export class DisputeUnreadable extends ProviderUnavailable {
  readonly problem: DisputeProblem;

  constructor(problem: DisputeProblem) {
    super('network', true, `the dispute cannot be taken over: ${problem}`);
    this.name = 'DisputeUnreadable';
    this.problem = problem;
  }
}
