import { request } from 'undici';
import { createConnectionPool } from '../connection-pool.ts';
import { wasNeverSent } from '../http.ts';
import { ProviderUnavailable } from '../ports.ts';

/** The largest answer that is read, in bytes. */
const maxAnswerBytes = 1024 * 1024;

export interface PciVaultHttpOptions {
  /** Base address without a path, such as `https://api.pcivault.io`. */
  baseUrl: string;
  /** API credentials of the account, sent as Basic. */
  user: string;
  password: string;
}

export interface PciVaultCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** The query. The vault expects key and passphrase in it, so no address is logged or quoted. */
  query?: Record<string, string>;
  body?: unknown;
  timeoutMs: number;
}

export interface PciVaultHttp {
  /**
   * Makes one call and never repeats it. Returns the HTTP status and the body as JSON, `undefined` for an
   * absent or malformed one. Throws `ProviderUnavailable` for a timeout, a reset, a redirect, 429 and 5xx.
   */
  call(call: PciVaultCall): Promise<{ status: number; body: unknown }>;
  close(): Promise<void>;
}

/** Returns the vault's API over a bounded connection pool. Errors quote no address and no sent data. */
export function createPciVaultHttp({ baseUrl, user, password }: PciVaultHttpOptions): PciVaultHttp {
  const dispatcher = createConnectionPool({ connectTimeoutMs: 2_000, maxAnswerBytes });
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  return {
    async call({ method, path, query = {}, body, timeoutMs }) {
      let status: number;
      let text: string;
      try {
        const answer = await request(baseUrl + path, {
          method,
          query,
          dispatcher,
          headers: {
            authorization,
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
          signal: AbortSignal.timeout(timeoutMs),
        });
        status = answer.statusCode;
        text = await answer.body.text();
      } catch (error) {
        // A timeout's own code is a number.
        const isCoded = error instanceof Error && 'code' in error && typeof error.code === 'string';
        const code = isCoded ? String(error.code) : 'no answer in time';
        throw new ProviderUnavailable('vault', !wasNeverSent(error), code);
      }
      const answered = (status >= 200 && status <= 299) || (status >= 400 && status <= 499);
      if (!answered || status === 429) throw new ProviderUnavailable('vault', true, `status ${status}`);
      return { status, body: jsonOf(text) };
    },
    close: () => dispatcher.close(),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
