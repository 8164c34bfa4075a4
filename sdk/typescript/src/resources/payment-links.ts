import type { Answer } from '../answer.ts';
import { type Listing, listOf } from '../listing.ts';
import type { KeyedOptions, RequestOptions, Transport } from '../transport.ts';
import type {
  NumberedMeta,
  PaymentLink,
  PaymentLinkCreateParams,
  PaymentLinkListParams,
  PaymentLinkUpdateParams,
} from '../types.ts';

const path = '/v1/payment-links';

/** Addresses under which each customer who opens them gets a payment of their own. */
export class PaymentLinks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a link. Send its `url` to your customers. The same key gives the same link for 24 hours. */
  create(
    params: PaymentLinkCreateParams,
    options: KeyedOptions & { idempotencyKey: string },
  ): Answer<PaymentLink> {
    const { idempotencyKey } = options;
    return this.#transport.data({ method: 'POST', path, body: params, idempotencyKey, options });
  }

  /** Lists the links, newest first. */
  list(params?: PaymentLinkListParams, options?: RequestOptions): Listing<PaymentLink, NumberedMeta> {
    return listOf(this.#transport, { path, query: params, options });
  }

  /** Reads a link, with the number of its payments. */
  retrieve(id: string, options?: RequestOptions): Answer<PaymentLink> {
    return this.#transport.data({ method: 'GET', path: `${path}/{id}`, id, options });
  }

  /** Closes a link, or opens it again. Payments that it began can still be paid. */
  update(id: string, params: PaymentLinkUpdateParams, options?: RequestOptions): Answer<PaymentLink> {
    return this.#transport.data({ method: 'PATCH', path: `${path}/{id}`, id, body: params, options });
  }
}
