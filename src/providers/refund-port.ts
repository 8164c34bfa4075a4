import type { RefundReason } from '../domain/refund.ts';

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
