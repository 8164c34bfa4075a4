import type { Answer } from '../answer.ts';
import { type Listing, listOf } from '../listing.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { CursorMeta, Event, EventListParams, RedeliverParams, Redelivery } from '../types.ts';

const path = '/v1/events';

/** The log of events, which is kept for 90 days. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists events, newest first; with `after`, oldest first from that event on. */
  list(params?: EventListParams, options?: RequestOptions): Listing<Event, CursorMeta> {
    return listOf(this.#transport, { path, query: params, options });
  }

  /** Reads an event exactly as its webhooks carry it. */
  retrieve(id: string, options?: RequestOptions): Answer<Event> {
    return this.#transport.data({ method: 'GET', path: `${path}/{id}`, id, options });
  }

  /** Sends an event again: to one endpoint, or to every enabled endpoint that receives its type. */
  redeliver(id: string, params: RedeliverParams = {}, options?: RequestOptions): Answer<Redelivery> {
    return this.#transport.data({
      method: 'POST',
      path: `${path}/{id}/redeliver`,
      id,
      body: params,
      options,
    });
  }
}
