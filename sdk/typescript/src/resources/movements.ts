import { type Listing, listOf } from '../listing.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { CursorMeta, Movement, MovementListParams } from '../types.ts';

/** Movements of money: what was taken, refunded and disputed, and when. */
export class Movements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists movements, the last booked first. */
  list(params?: MovementListParams, options?: RequestOptions): Listing<Movement, CursorMeta> {
    return listOf(this.#transport, { path: '/v1/movements', query: params, options });
  }
}
