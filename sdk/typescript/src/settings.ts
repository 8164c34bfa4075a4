import { ConfigurationError } from './errors.ts';

/** A function like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The description of a call that a hook receives. It never contains a body, a header, a query or a secret.
 */
export interface RequestEvent {
  /** For example `POST`. */
  method: string;
  /** The path with `{id}` in place of the id, such as `/v1/payments/{id}`. */
  path: string;
  /** The id in the path, if there is one. */
  id: string | null;
  /** 1 for the first try. */
  attempt: number;
}

/** The description of an answer that a hook receives. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status; null when no answer was received. */
  status: number | null;
  /** The id of the call; quote it to support. */
  requestId: string | null;
  durationMs: number;
}

/** The settings with which a client reaches the service. */
export interface ClientOptions {
  /** A secret API key, `cps_sandbox_…` or `cps_live_…`. Without it, the variable CARD_PAYMENTS_API_KEY. */
  apiKey?: string | undefined;
  /** The address of the service, without a path. Without it, the variable CARD_PAYMENTS_URL. */
  baseUrl?: string | undefined;
  /** How long to wait for one answer. 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** How often a safe call is tried again: a read, a call with an idempotency key, and any call after 429. */
  maxRetries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Called before every request. Errors that it throws are ignored. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after every answer, and when none was received. Errors that it throws are ignored. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
}

/** The settings of a client, complete and checked. */
export interface Settings {
  apiKey: string;
  origin: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: Fetch;
  onRequest: (event: RequestEvent) => void;
  onResponse: (event: ResponseEvent) => void;
}

const defaultTimeoutMs = 30_000;
const defaultMaxRetries = 2;

/** Returns the settings of a client. Throws ConfigurationError when one cannot be used. */
export function readSettings(options: ClientOptions): Settings {
  const { timeoutMs = defaultTimeoutMs, maxRetries = defaultMaxRetries, fetch } = options;
  if (!(timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1)) {
    throw new ConfigurationError('timeoutMs must be a positive number of milliseconds.');
  }
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw new ConfigurationError('maxRetries must be a whole number from 0.');
  }
  return {
    apiKey: checkedKey(options.apiKey ?? environmentVariable('CARD_PAYMENTS_API_KEY')),
    origin: checkedOrigin(options.baseUrl ?? environmentVariable('CARD_PAYMENTS_URL')),
    timeoutMs,
    maxRetries,
    // The global is looked up at each call, because some runtimes refuse it as a method of another object.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    onRequest: silently(options.onRequest),
    onResponse: silently(options.onResponse),
  };
}

/** Returns a hook whose errors are ignored, because a failing log must not fail a payment. */
function silently<Event>(hook: ((event: Event) => void) | undefined): (event: Event) => void {
  return (event) => {
    try {
      hook?.(event);
    } catch {
      // The hook belongs to the caller.
    }
  };
}

function checkedKey(key: string | undefined): string {
  if (key === undefined || key === '') {
    throw new ConfigurationError('The API key is missing: pass apiKey, or set CARD_PAYMENTS_API_KEY.');
  }
  // Other characters cannot be sent in a header, and the resulting error would quote the key.
  if (!/^[!-~]+$/.test(key)) {
    throw new ConfigurationError(
      'The API key contains a space, a line break or another character that no key has. Copy it again.',
    );
  }
  return key;
}

function checkedOrigin(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl === '') {
    throw new ConfigurationError(
      'The address of the service is missing: pass baseUrl, or set CARD_PAYMENTS_URL.',
    );
  }
  const example = 'baseUrl must be like https://pay.example';
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new ConfigurationError(`${example}: an absolute URL that begins with https://.`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigurationError(`${example}: its scheme must be https or http.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError(`${example}, without a user name, a query or a fragment.`);
  }
  if (url.pathname !== '/') {
    throw new ConfigurationError(`${example}, without a path: the client adds /v1 itself.`);
  }
  return url.origin;
}

/** Returns an environment variable; undefined when the runtime has none or does not permit reading it. */
function environmentVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}
