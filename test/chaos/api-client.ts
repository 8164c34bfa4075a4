import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/harness/random.ts';
import { type Call, type Outcome, outcomeOf, outcomeOfAny, unanswered } from './history.ts';
import { serviceNames } from './names.ts';

const callMs = 30_000;
/** The most tries until a definite answer once the faults are over. */
const maxTries = 40;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A call to make: `op` is its name in the history, `key` its Idempotency-Key. */
export interface Request {
  op: string;
  method: Method;
  path: string;
  body?: object | undefined;
  key?: string | undefined;
  /** Whether the answer may have any shape: only its status, and the code of an error, are read. */
  isAnyShape?: boolean | undefined;
  /** The `Accept` header, if there is one. */
  accept?: string | undefined;
}

export interface ApiClientOptions {
  /** The client's number in the history. */
  index: number;
  /** Addresses of the service; each call uses a random one. */
  apis: readonly string[];
  apiKey: string;
  random: Random;
  history: Call[];
  /** When the client gives up, epoch ms. */
  untilMs: number;
  /** Whether it waits at least as long as `Retry-After` asks; if not, it calls sooner than it should. */
  isPatient?: boolean;
}

/** A merchant's backend that calls the service; every call and answer goes into the history. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  /** The payment that its calls are about, once it is known. */
  paymentId: string | null = null;
  untilMs: number;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.untilMs = options.untilMs;
  }

  get isOver(): boolean {
    return Date.now() > this.untilMs;
  }

  /** Waits for a random time between `lowMs` and `highMs`. */
  async pause(lowMs: number, highMs: number): Promise<void> {
    await sleep(this.#options.random.between(lowMs, highMs));
  }

  /** Waits before a repeated call: a random time between `lowMs` and `highMs`, and at least `Retry-After`. */
  async pauseAfter({ retryAfter }: Call, lowMs: number, highMs: number): Promise<void> {
    const atLeastMs = this.#options.isPatient === true ? Number(retryAfter ?? 0) * 1_000 : 0;
    await this.pause(atLeastMs + lowMs, atLeastMs + highMs);
  }

  get(op: string, path: string): Promise<Call> {
    return this.call({ op, method: 'GET', path });
  }

  /** Makes one call and returns how it ended; never throws. */
  async call({ op, method, path, body, key, isAnyShape, accept }: Request): Promise<Call> {
    const { index, apis, apiKey, random, history } = this.#options;
    const paymentId = this.paymentId;
    const startedAtMs = Date.now();
    const read = isAnyShape === true ? outcomeOfAny : outcomeOf;
    const outcome = await send(read, random.pick(apis) + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const call = {
      client: index,
      op,
      paymentId,
      key: key ?? null,
      startedAtMs,
      endedAtMs: Date.now(),
      ...outcome,
    };
    history.push(call);
    return call;
  }

  /** A `fetch` for an SDK: its calls go to one of the service's addresses, and into the history. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { index, apis, random, history } = this.#options;
    const origin = apis.find((api) => url.startsWith(api));
    if (origin === undefined) return fetch(url, init);
    const method = init.method ?? 'GET';
    const path = url.slice(origin.length);
    const begun = {
      client: index,
      op: path.startsWith('/v1/search/') ? 'search' : serviceNames(method, path),
      paymentId: this.paymentId,
      key: new Headers(init.headers).get('idempotency-key'),
      startedAtMs: Date.now(),
    };
    try {
      const response = await fetch(random.pick(apis) + path, init);
      const { status, headers } = response;
      const text = await response.text();
      const outcome = outcomeOf(status, headers.get('retry-after'), text);
      history.push({ ...begun, endedAtMs: Date.now(), ...outcome });
      return new Response(text, { status, headers });
    } catch (error) {
      history.push({ ...begun, endedAtMs: Date.now(), ...unanswered(faultOf(error)) });
      throw error;
    }
  };

  /** Records a request of the customer's page; returns how it ended. `outcome` reads its answer. */
  async visited(op: string, act: () => Promise<Outcome>): Promise<Call> {
    const startedAtMs = Date.now();
    const outcome = await act().catch((error: unknown) => unanswered(faultOf(error)));
    const { index: client, history } = this.#options;
    const of = { client, op, paymentId: this.paymentId, key: null };
    const call = { ...of, startedAtMs, endedAtMs: Date.now(), ...outcome };
    history.push(call);
    return call;
  }

  /** Records the state of a payment that the SDK returned. */
  concluded(status: string): void {
    const now = Date.now();
    this.#options.history.push({
      ...unanswered('outcome'),
      ...{ client: this.#options.index, op: 'outcome', paymentId: this.paymentId, key: null },
      ...{ startedAtMs: now, endedAtMs: now, result: 'ok', data: { status } },
    });
  }

  /** Records whether the vault accepted a card. It is not a call of the service, but the customer sees it. */
  async observed<Card>(op: string, act: () => Promise<Card | null>): Promise<Card | null> {
    // A customer whose time is over tries nothing.
    if (this.isOver) return null;
    const startedAtMs = Date.now();
    const card = await act();
    // One whose time ended during a try that got no answer gave up, and was not refused.
    if (card === null && this.isOver) return null;
    this.#options.history.push({
      ...unanswered(card === null ? 'refused' : 'taken'),
      client: this.#options.index,
      op,
      paymentId: this.paymentId,
      key: null,
      startedAtMs,
      endedAtMs: Date.now(),
    });
    return card;
  }

  /** Repeats a repeatable call until its answer is definite; null when there was none in time. */
  async callWithRetries(request: Request): Promise<Call | null> {
    for (let tries = 0; tries < maxTries && !this.isOver; tries += 1) {
      const call = await this.call(request);
      if (call.result !== 'unknown' && call.code !== 'idempotency_in_progress') return call;
      await this.pauseAfter(call, 100, 600);
    }
    return null;
  }
}

async function send(read: typeof outcomeOf, url: string, init: RequestInit): Promise<Outcome> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(callMs) });
    return read(response.status, response.headers.get('retry-after'), await response.text());
  } catch (error) {
    return unanswered(faultOf(error));
  }
}

/** Returns the system's code of the error that ended a request (`ECONNRESET`), or the error's name. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
