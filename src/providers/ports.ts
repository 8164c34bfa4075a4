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
