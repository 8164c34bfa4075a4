import { Answer, type WithResponse } from '../answer.ts';
import { type Listing, listOf } from '../listing.ts';
import { findMarked, marked, onceKey, requireSameAmount } from '../once.ts';
import type { KeyedOptions, RequestOptions, Transport } from '../transport.ts';
import type { NumberedMeta, Refund, RefundCreateParams, RefundListParams } from '../types.ts';

/** Refunds of paid payments. */
export class Refunds {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Refunds a payment, in part or its whole remaining amount. The same key gives the same refund for 24
   * hours.
   */
  create(
    paymentId: string,
    params: RefundCreateParams,
    options: KeyedOptions & { idempotencyKey: string },
  ): Answer<Refund> {
    const path = '/v1/payments/{id}/refunds';
    const { idempotencyKey } = options;
    return this.#transport.data({
      method: 'POST',
      path,
      id: paymentId,
      body: params,
      idempotencyKey,
      options,
    });
  }

  /**
   * Makes a refund, or finds the one that was made with this key before: in any process, at any time. The key
   * is yours; it is kept in the refund's metadata as `createOnceKey`. Throws ConflictError for another
   * amount.
   */
  createOnce(
    key: string,
    paymentId: string,
    params: RefundCreateParams = {},
    options: RequestOptions = {},
  ): Answer<Refund> {
    const make = async (): Promise<WithResponse<Refund>> => {
      const idempotencyKey = await onceKey(paymentId, key);
      const refunds = this.listForPayment(paymentId, { perPage: 100 }, options);
      const found = await findMarked(refunds, idempotencyKey);
      if (found === null) {
        const keyed = { ...options, idempotencyKey };
        return this.create(paymentId, marked(params, idempotencyKey), keyed).withResponse();
      }
      requireSameAmount(found.data, params.amountCents);
      return found;
    };
    return new Answer(make());
  }

  /** Lists refunds, newest first. */
  list(params?: RefundListParams, options?: RequestOptions): Listing<Refund, NumberedMeta> {
    return listOf(this.#transport, { path: '/v1/refunds', query: params, options });
  }

  /** Lists the refunds of one payment, newest first. */
  listForPayment(
    paymentId: string,
    params?: RefundListParams,
    options?: RequestOptions,
  ): Listing<Refund, NumberedMeta> {
    const path = '/v1/payments/{id}/refunds';
    return listOf(this.#transport, { path, id: paymentId, query: params, options });
  }

  /** Reads a refund. */
  retrieve(id: string, options?: RequestOptions): Answer<Refund> {
    return this.#transport.data({ method: 'GET', path: '/v1/refunds/{id}', id, options });
  }

  /** Cancels a refund before it is sent to the network. */
  cancel(id: string, options?: RequestOptions): Answer<Refund> {
    return this.#transport.data({ method: 'POST', path: '/v1/refunds/{id}/cancel', id, options });
  }
}
