import { ProviderUnavailable } from './ports.ts';

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

/** This build does not understand the network's dispute, and does not act on it. */
export class DisputeUnreadable extends ProviderUnavailable {
  readonly problem: DisputeProblem;

  constructor(problem: DisputeProblem) {
    super('network', true, `the dispute cannot be stored: ${problem}`);
    this.name = 'DisputeUnreadable';
    this.problem = problem;
  }
}
