import { type Listing, listOf } from '../listing.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { ApiRequest, CursorMeta, RequestListParams } from '../types.ts';

/** The calls of the API by the account's keys. */
export class Requests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists calls, newest first. */
  list(params?: RequestListParams, options?: RequestOptions): Listing<ApiRequest, CursorMeta> {
    return listOf(this.#transport, { path: '/v1/requests', query: params, options });
  }
}
