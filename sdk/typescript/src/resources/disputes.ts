import type { Answer } from '../answer.ts';
import { type Listing, listOf } from '../listing.ts';
import type { KeyedOptions, RequestOptions, Transport } from '../transport.ts';
import type { CursorMeta, Dispute, DisputeListParams, EvidenceParams, NumberedMeta } from '../types.ts';

/** Disputes that customers open at their bank. */
export class Disputes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists disputes, newest first; with `dueBefore` the next deadline first. */
  list(params?: DisputeListParams, options?: RequestOptions): Listing<Dispute, NumberedMeta | CursorMeta> {
    return listOf(this.#transport, { path: '/v1/disputes', query: params, options });
  }

  /** Lists the disputes of one payment. */
  listForPayment(
    paymentId: string,
    params?: DisputeListParams,
    options?: RequestOptions,
  ): Listing<Dispute, NumberedMeta | CursorMeta> {
    const path = '/v1/payments/{id}/disputes';
    return listOf(this.#transport, { path, id: paymentId, query: params, options });
  }

  /** Reads a dispute, with its evidence. */
  retrieve(id: string, options?: RequestOptions): Answer<Dispute> {
    return this.#transport.data({ method: 'GET', path: '/v1/disputes/{id}', id, options });
  }

  /** Replaces the staged evidence. */
  stageEvidence(id: string, params: EvidenceParams, options?: RequestOptions): Answer<Dispute> {
    return this.#transport.data({
      method: 'PUT',
      path: '/v1/disputes/{id}/evidence',
      id,
      body: params,
      options,
    });
  }

  /** Sends the staged evidence to the network. It cannot be changed afterwards. */
  submit(id: string, options?: KeyedOptions): Answer<Dispute> {
    return this.#final(id, 'submit', options);
  }

  /** Accepts a dispute: the customer keeps the money. */
  accept(id: string, options?: KeyedOptions): Answer<Dispute> {
    return this.#final(id, 'accept', options);
  }

  #final(id: string, step: 'submit' | 'accept', options: KeyedOptions = {}): Answer<Dispute> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const path = `/v1/disputes/{id}/${step}`;
    return this.#transport.data({ method: 'POST', path, id, body: {}, idempotencyKey, options });
  }
}
