import { lookup as systemLookup } from 'node:dns';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { loopbackAddresses } from './addresses.ts';
import { type EgressRules, checkEndpointUrl, isAllowedAddress } from './endpoint-url.ts';

/** The reasons why a try got no status. */
export type SendError = 'forbidden_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

/** The result of one try. */
export interface SendResult {
  statusCode: number | null;
  error: SendError | null;
  /** The header's value as the endpoint sent it. */
  retryAfter: string | undefined;
  durationMs: number;
  /** The beginning of an unsuccessful answer, at most 1 KiB of printable text; null when there is none. */
  excerpt: string | null;
}

export type Send = (input: {
  url: string;
  headers: Record<string, string>;
  body: string;
}) => Promise<SendResult>;

const excerptBytes = 1_024;
/** How long the body of a success is read, in ms. Its status has already decided. */
const successDrainMs = 2_000;

/** A name was resolved to an address that deliveries may not reach. */
class ForbiddenAddress extends Error {}

/**
 * Returns the function that sends webhooks. Each try is one connection, without proxies, redirects or reuse.
 * Every resolved address is checked in the same look-up that the connection uses, so that a name cannot
 * change in between. At most `maxBytes` of an answer are read, and a try takes at most `timeoutMs` in all.
 */
export function createSender(options: {
  rules: EgressRules;
  timeoutMs?: number;
  maxBytes?: number;
  /** The resolver of names; replaced in tests. */
  lookup?: LookupFunction;
}): Send {
  const { rules, timeoutMs = 15_000, maxBytes = 64 * 1024 } = options;
  const lookup = guardedLookup(rules, options.lookup ?? systemLookup);
  // Checks every address a second time, with a library's own table.
  const filter = {
    keepAlive: false,
    allowIPAddressList: rules.allowLoopback ? [...loopbackAddresses] : [],
  };
  const httpAgent = new RequestFilteringHttpAgent(filter);
  // One context for all tries: a context per try would cost more than everything else that a try does here.
  const httpsAgent = new RequestFilteringHttpsAgent({ ...filter, secureContext: createSecureContext() });

  return ({ url: raw, headers, body }) =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const result: SendResult = {
        statusCode: null,
        error: null,
        retryAfter: undefined,
        durationMs: 0,
        excerpt: null,
      };
      const chunks: Buffer[] = [];
      const timers: NodeJS.Timeout[] = [];
      let done = false;
      const finish = (error: SendError | null): void => {
        if (done) return;
        done = true;
        for (const timer of timers) clearTimeout(timer);
        // A status that has arrived counts, whatever happens to the rest of the answer.
        if (result.statusCode === null) result.error = error ?? 'reset';
        if (result.statusCode !== null && !isSuccess(result.statusCode)) result.excerpt = excerptOf(chunks);
        result.durationMs = Math.round(performance.now() - startedAt);
        sent?.destroy();
        resolve(result);
      };

      const checked = checkEndpointUrl(raw, rules);
      let sent: ReturnType<typeof httpRequest> | undefined;
      if (!checked.ok) {
        finish('forbidden_address');
        return;
      }
      const secure = checked.url.protocol === 'https:';
      const receive = (answer: IncomingMessage): void => {
        result.statusCode = answer.statusCode ?? null;
        result.retryAfter = answer.headers['retry-after'];
        if (isSuccess(answer.statusCode ?? 0)) timers.push(setTimeout(() => finish(null), successDrainMs));
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          if (bytes < excerptBytes) chunks.push(chunk.subarray(0, excerptBytes - bytes));
          bytes += chunk.length;
          if (bytes >= maxBytes) finish(null);
        });
        answer.on('end', () => finish(null));
        answer.on('error', () => finish('reset'));
        answer.on('close', () => finish(null));
      };
      timers.push(setTimeout(() => finish('timeout'), timeoutMs));
      try {
        sent = (secure ? httpsRequest : httpRequest)(
          checked.url,
          {
            method: 'POST',
            headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
            agent: secure ? httpsAgent : httpAgent,
            lookup,
            maxHeaderSize: 16 * 1024,
          },
          receive,
        );
        sent.on('error', (error) => finish(classify(error)));
        sent.end(body);
      } catch (error) {
        finish(classify(error));
      }
    });
}

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/**
 * Returns a look-up that refuses a name if any of its addresses is refused: a mixed answer is an attack or a
 * mistake.
 */
function guardedLookup(rules: EgressRules, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error) {
        callback(error, [], 0);
        return;
      }
      const addresses = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      const [first] = addresses;
      if (!first || addresses.some(({ address }) => !isAllowedAddress(address, rules))) {
        callback(new ForbiddenAddress(), [], 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
}

function classify(error: unknown): SendError {
  if (error instanceof ForbiddenAddress) return 'forbidden_address';
  const { code = '', message = '' } = errorFields(error);
  if (/is not allowed\. Because/.test(message)) return 'forbidden_address';
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'dns';
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/.test(code)) return 'connect';
  if (/^HPE_/.test(code)) return 'protocol';
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls';
  return 'reset';
}

/** Returns the fields by shape, because errors of Node and of libraries may be of any class. */
function errorFields(error: unknown): { code?: string; message?: string } {
  if (typeof error !== 'object' || error === null) return {};
  const { code, message } = error as { code?: unknown; message?: unknown };
  return {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

/** Returns printable text only, because operators and merchants are shown the endpoint's answer. */
function excerptOf(chunks: Buffer[]): string | null {
  if (chunks.length === 0) return null;
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFD]/gu, ' ');
  let cut = text;
  while (Buffer.byteLength(cut) > excerptBytes) cut = cut.slice(0, -1);
  return cut;
}
