import type { Answer } from '../answer.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { Branding as BrandingValues, BrandingUpdateParams, ClearedBranding } from '../types.ts';

const path = '/v1/branding';

/** How a shop looks on the hosted checkout page. */
export class Branding {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads the branding of the key's environment. */
  retrieve(options?: RequestOptions): Answer<BrandingValues> {
    return this.#transport.data({ method: 'GET', path, options });
  }

  /** Changes the branding: a text sets a field, null clears it, an absent field stays as it is. */
  update(params: BrandingUpdateParams, options?: RequestOptions): Answer<BrandingValues> {
    return this.#transport.data({ method: 'PATCH', path, body: params, options });
  }

  /** Removes the branding. */
  clear(options?: RequestOptions): Answer<ClearedBranding> {
    return this.#transport.data({ method: 'DELETE', path, options });
  }
}
