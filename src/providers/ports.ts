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
  /** Sites that may frame the page that frames the fields (an embedded checkout). */
  ancestorOrigins?: string[];
}

export type ClaimResult = { status: 'accepted'; card: CardFacts } | { status: 'rejected' };

/**
 * The card vault as the service uses it. Every call may be repeated. Throws `ProviderUnavailable` when the
 * vault did not answer definitely.
 */
export interface VaultClient {
  /**
   * `secret`: the vault's own for this session, where it makes one; otherwise the one whose hash it was
   * given.
   */
  registerSession(session: CaptureSession): Promise<{ captureUrl: string; secret?: string }>;
  revokeSession(reference: string): Promise<void>;
  /**
   * Deletes every card that was captured under this reference. Null: the vault deletes them by itself.
   */
  readonly forgetCards: ((reference: string) => Promise<void>) | null;
  /** Verifies that the token is this payment's card; accepting it ends capture access in `single` mode. */
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
 * undecided. `unreadable`: a state that this version does not know, or a charge of something else; it proves
 * nothing, and an operator is alerted.
 */
export interface Charge {
  chargeId: string;
  key: string;
  paymentId: string;
  amountCents: number;
  /** Upper case. Anything but USD contradicts the request. */
  currency: string;
  status: 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending' | 'voided' | 'unreadable';
  failureCode: string | null;
  message: string | null;
  card: { brand: string; last4: string } | null;
  action: ProviderAction | null;
  /** The customer has done the step: confirming decides. Null where the network does not report it. */
  stepDone: boolean | null;
  /** When the network took the money, by its own clock, in epoch ms; null: not captured, or not reported. */
  capturedAtMs: number | null;
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
  /** With the token: where the vault keeps the card. */
  cardReference?: string;
  /** What a wallet on the checkout page gave: the network's payment method. In place of a card's token. */
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
  /** Too many tries like this one were declined: the customer is to be challenged, where the network can. */
  forceChallenge?: true;
  /** Sites that may frame the checkout page, and with it the customer's step. */
  ancestorOrigins?: string[];
  /** What the network keeps with the charge, so that a payment that lost its rows can be written back. */
  creation?: ChargeCreation;
}

/** What a charge carries of its payment's creation. ADR 0062. */
export interface ChargeCreation {
  /** The merchant's reference. */
  reference: string;
  /** Keyed hash of the creation's Idempotency-Key, in hex; null: not known. */
  keyHash: string | null;
}

/** An attempt as it is named to the network to look it up, confirm it or close it. */
export interface AttemptReference {
  key: string;
  paymentId: string;
  merchantId: string;
  environment: Environment;
  amountCents: number;
  /** The network's object for it; null before one was committed, or where the network prepares none. */
  providerReference: string | null;
}

/**
 * How it becomes certain that an attempt whose charge the network has not received will not be charged.
 * `tombstone`: the network closes the key permanently on request, and returns the charge if there already is
 * a result. `object`: the prepared object is cancelled, with the same guarantee. `horizon`: neither; a
 * request that was not seen within `afterMs` of being sent never arrives, so the key is only queried until
 * then.
 */
export type UnseenKeys =
  | { closedBy: 'tombstone' | 'object'; close: (attempt: AttemptReference) => Promise<Charge> }
  | { closedBy: 'horizon'; afterMs: number };

/**
 * The result of preparing: the network's id of an object that moves no money before it is charged, with the
 * card's facts where the network returns them, or the network's verdict on the card.
 */
export type Prepared =
  | { status: 'prepared'; providerReference: string; card: CardFacts | null }
  | { status: 'declined' | 'failed'; failureCode: string | null; message: string | null }
  | { status: 'token_rejected' };

/**
 * The payment network as the service uses it. Definite answers are values; `ProviderUnavailable` states
 * whether the request may have had an effect.
 */
export interface PaymentNetwork {
  /**
   * Creates the network's object for an attempt; moves no money, and may be repeated. `charge` is then sent
   * with its id, once that is committed. Null: the network identifies attempts by their keys alone. ADR 0018.
   */
  readonly prepare: ((request: ChargeRequest) => Promise<Prepared>) | null;
  /**
   * Returns the network's object for an attempt whose id the rows do not have, or null. Throws TooManyCharges
   * when it cannot be found within some seconds. Null in place of the function: the network identifies
   * attempts by their keys alone.
   */
  readonly findPrepared:
    | ((
        attempt: Pick<AttemptReference, 'key' | 'paymentId'>,
        madeWithin: { createdAt: Date; expiresAt: Date },
      ) => Promise<string | null>)
    | null;
  /** The holder of its secret could still make a declined charge succeed, until it is cancelled. */
  readonly declinesStayOpen: boolean;
  /** The network completes a charge by itself after the customer's step, so that confirming only reads it. */
  readonly confirmsByItself: boolean;
  charge(request: ChargeRequest): Promise<Charge | 'token_rejected'>;
  /** Reads the charge; null: the network has not received it, or not yet. */
  lookup(attempt: AttemptReference): Promise<Charge | null>;
  confirm(attempt: AttemptReference): Promise<Charge>;
  /** Cancels an undecided charge of the network; returns it as it is then. */
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
  /** The refund's id: the same refund always carries the same key. */
  key: string;
  paymentId: string;
  /** Key of the charge that is refunded. */
  chargeKey: string;
  /** The network's object behind it, where the network prepares one. */
  chargeReference: string | null;
  amountCents: number;
}

/** A refund of a charge as the network lists it, made by the service or at the network. */
export interface FoundRefund {
  /** The network's id of it. */
  reference: string;
  /** Our id of it; null for a refund that does not name one. */
  key: string | null;
  amountCents: number;
  reason: RefundReason | null;
  status: NetworkRefund['status'];
  failureCode: string | null;
}

/** Refunds that the service did not make: made in the network's dashboard, or by the network itself. */
export interface RefundsElsewhere {
  /**
   * Lists the refunds of the account that were made after `cursor`, null for the first reading; a refund may
   * come again. `cursor` in the answer is where to continue; it is the given one when there are none.
   */
  listNewRefunds(cursor: string | null): Promise<{
    refunds: { reference: string; key: string | null; chargeReference: string }[];
    cursor: string | null;
    more: boolean;
  }>;
  /**
   * Lists the refunds next behind `cursor`, which were made shortly before `now`, a bounded number: one that
   * the network listed late, out of the order in which refunds were made, is among them. Refunds that failed
   * are left out.
   */
  listRefundsBehind(
    cursor: string,
    now: Date,
  ): Promise<{ reference: string; key: string | null; chargeReference: string }[]>;
  /** Every refund of a charge. */
  refundsOf(chargeReference: string): Promise<FoundRefund[]>;
}

/** Refunds at the payment network. Definite answers are values; `ProviderUnavailable` for everything else. */
export interface RefundNetwork {
  /**
   * `refused`: the network will never make this refund; nothing is recorded under the key. A call may be
   * repeated under its key, except at networks that close keys permanently.
   */
  refund(request: RefundRequest): Promise<NetworkRefund | 'refused'>;
  lookupRefund(request: RefundRequest): Promise<NetworkRefund | null>;
  /**
   * Makes sure that nothing can be refunded under the key any more; returns the refund if there already is
   * one. Null: the network closes no keys. Then a refund without a trace is sent again until it is answered:
   * only its refusal proves that it was not made.
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

/** Why a dispute cannot be taken over as the network shows it: a code, which alerts name. */
export type DisputeProblem = 'unknown_state' | 'other_currency' | 'malformed' | 'future_instant';

/** A dispute in the list of changes that cannot be taken over, or not now (`no_answer`). */
export interface UnreadableDispute {
  /** Empty where not even that can be read. */
  disputeId: string;
  /** As the network says; null where it cannot be read. */
  paymentId: string | null;
  /** The network's object behind the disputed charge, where it can be read. */
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
 * understood here. `refused`: the dispute is not in a state that allows it; read it again.
 */
export interface DisputeNetwork {
  /**
   * Lists the disputes that were opened or changed after `cursor`, null for the beginning, in the order of
   * their last change; a dispute may come again. `cursor` in the answer is where to continue; it is the given
   * one when nothing changed. A dispute that cannot be read is named apart and stops no other.
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

/** A provider did not answer definitely. `sent` is false only when no byte of the request can have left. */
export class ProviderUnavailable extends Error {
  readonly sent: boolean;
  /** The wait that the provider asked for, in ms; undefined where it asked for none. */
  retryAfterMs: number | undefined;
  /** The provider knows the key from another request. */
  keyReused = false;

  constructor(provider: 'vault' | 'network', sent: boolean, detail: string) {
    super(`${provider} unavailable: ${detail}`);
    this.name = 'ProviderUnavailable';
    this.sent = sent;
  }
}

/** The network made too many charges to find one among them without its id. */
export class TooManyCharges extends ProviderUnavailable {
  constructor() {
    super('network', true, 'more charges were made meanwhile than are searched');
    this.name = 'TooManyCharges';
  }
}

/** The network's dispute is not understood by this build; nothing of it is acted on. */
export class DisputeUnreadable extends ProviderUnavailable {
  readonly problem: DisputeProblem;

  constructor(problem: DisputeProblem) {
    super('network', true, `the dispute cannot be taken over: ${problem}`);
    this.name = 'DisputeUnreadable';
    this.problem = problem;
  }
}
