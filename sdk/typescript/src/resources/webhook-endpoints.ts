import type { Answer } from '../answer.ts';
import { type Listing, listOf } from '../listing.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type {
  CursorMeta,
  DeletedEndpoint,
  Delivery,
  DeliveryListParams,
  EndpointCreateParams,
  EndpointListParams,
  EndpointUpdateParams,
  Event,
  NumberedMeta,
  Replay,
  ReplayParams,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../types.ts';

const path = '/v1/webhook-endpoints';

/** The addresses that events are delivered to. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the endpoints, without their secrets. */
  list(params?: EndpointListParams, options?: RequestOptions): Listing<WebhookEndpoint, NumberedMeta> {
    return listOf(this.#transport, { path, query: params, options });
  }

  /** Adds an endpoint. Its signing secret is in this answer only. */
  create(params: EndpointCreateParams, options?: RequestOptions): Answer<WebhookEndpointWithSecret> {
    return this.#transport.data({ method: 'POST', path, body: params, options });
  }

  /** Reads an endpoint, without its secret. */
  retrieve(id: string, options?: RequestOptions): Answer<WebhookEndpoint> {
    return this.#transport.data({ method: 'GET', path: `${path}/{id}`, id, options });
  }

  /** Changes, enables or disables an endpoint. An absent field stays as it is. */
  update(id: string, params: EndpointUpdateParams, options?: RequestOptions): Answer<WebhookEndpoint> {
    return this.#transport.data({ method: 'PATCH', path: `${path}/{id}`, id, body: params, options });
  }

  /** Deletes an endpoint. Nothing more is sent to it. */
  delete(id: string, options?: RequestOptions): Answer<DeletedEndpoint> {
    return this.#transport.data({ method: 'DELETE', path: `${path}/{id}`, id, options });
  }

  /** Replaces the signing secret. Deliveries carry signatures of both secrets for 24 hours. */
  rotateSecret(id: string, options?: RequestOptions): Answer<WebhookEndpointWithSecret> {
    return this.#transport.data({ method: 'POST', path: `${path}/{id}/rotate-secret`, id, options });
  }

  /** Sends an `endpoint.test` event to this endpoint. */
  test(id: string, options?: RequestOptions): Answer<Event> {
    return this.#transport.data({ method: 'POST', path: `${path}/{id}/test`, id, options });
  }

  /** Lists the deliveries to an endpoint, newest first. */
  deliveries(
    id: string,
    params?: DeliveryListParams,
    options?: RequestOptions,
  ): Listing<Delivery, CursorMeta> {
    return listOf(this.#transport, { path: `${path}/{id}/deliveries`, id, query: params, options });
  }

  /** Sends the events of a time span again; with `dryRun` only counts them. */
  replay(id: string, params: ReplayParams, options?: RequestOptions): Answer<Replay> {
    return this.#transport.data({ method: 'POST', path: `${path}/{id}/replay`, id, body: params, options });
  }
}
