import type { PaymentMethod } from '../domain/statuses.ts';
import type { ChargeCreation } from './ports.ts';

/** A charge as the network lists it, for the comparison with the rows. */
export interface ListedCharge {
  /** The network's id of the charge, or of its prepared object where the network prepares one. */
  reference: string;
  /** The key of its attempt, as the network reports it. */
  key: string;
  /** The payment that the network names. */
  paymentId: string;
  amountCents: number;
  /** Upper case. */
  currency: string;
  /** `open`: undecided. `none`: it took no money and takes none. `unreadable`: a state not known here. */
  status: 'captured' | 'open' | 'none' | 'unreadable';
  /** When the network created it, by its own clock, in epoch ms. */
  createdAtMs: number;
  /** Null when the network does not report it. */
  method: PaymentMethod | null;
  /** The facts of its payment's creation that were sent with the charge; null: an earlier version sent it. */
  creation: ChargeCreation | null;
}

/** A refund as the network lists it. */
export interface ListedRefund {
  reference: string;
  /** Our id of the refund; null for a refund that does not name one. */
  key: string | null;
  /** The payment that the network names; null when it names none. */
  paymentId: string | null;
  /** The network's prepared object behind the refunded charge, where the network prepares one. */
  chargeReference: string | null;
  amountCents: number;
  currency: string;
  status: 'pending' | 'succeeded' | 'failed' | 'unreadable';
  createdAtMs: number;
}

/** A dispute as the network lists it. */
export interface ListedDispute {
  reference: string;
  paymentId: string | null;
  chargeReference: string | null;
  amountCents: number;
  currency: string;
  status: 'needsResponse' | 'underReview' | 'won' | 'lost' | 'withdrawn' | 'unreadable';
  createdAtMs: number;
}

/** An entry of the account's balance that is no amount of a charge, a refund or a dispute. */
export interface ListedBalanceEntry {
  /** The network's id of the entry. */
  reference: string;
  /** `payout`: money that went to the account's bank, or came back from it. */
  kind: 'fee' | 'payout';
  /** Negative when it left the balance. */
  amountCents: number;
  /** Upper case. */
  currency: string;
  /** The network's prepared object behind the entry's charge; null: the entry concerns the account. */
  chargeReference: string | null;
  createdAtMs: number;
}

/** One page of a list. */
export interface ListedPage<Item> {
  items: Item[];
  /** Items of the page that cannot be read at all, so that the comparison is not complete. */
  unreadable: number;
  /** The cursor of the next page; null at the end of the list. */
  next: string | null;
}

/** The part of the network's list to read: objects that it created in this span. Instants in epoch ms. */
export interface ListedSpan {
  merchantId: string;
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

/**
 * The network's lists of everything that it created in a span, in pages. An object may come twice, and
 * objects may move between pages while they are read, so the reader checks each difference again by its key.
 * Each call throws `ProviderUnavailable` when the network does not answer definitely.
 */
export interface NetworkListings {
  listCharges(span: ListedSpan, cursor: string | null): Promise<ListedPage<ListedCharge>>;
  listRefunds(span: ListedSpan, cursor: string | null): Promise<ListedPage<ListedRefund>>;
  listDisputes(span: ListedSpan, cursor: string | null): Promise<ListedPage<ListedDispute>>;
  /**
   * Absent: the network has no balance. Without the right to read it the list is empty.
   */
  listBalance?(span: ListedSpan, cursor: string | null): Promise<ListedPage<ListedBalanceEntry>>;
  /** Reads one object by its key or by the network's id; null: the network has none. */
  findCharge(charge: { key: string; reference: string | null }): Promise<ListedCharge | null>;
  findRefund(refund: {
    key: string | null;
    reference: string | null;
    chargeReference: string | null;
  }): Promise<ListedRefund | null>;
  findDispute(reference: string): Promise<ListedDispute | null>;
}
