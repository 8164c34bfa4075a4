import type { Answer } from '../answer.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type { AuditHead } from '../types.ts';

/** The audit log of the merchant. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads the end of the log: the number, the hash and the signature of its last entry. */
  head(options?: RequestOptions): Answer<AuditHead> {
    return this.#transport.data({ method: 'GET', path: '/v1/audit/head', options });
  }
}
