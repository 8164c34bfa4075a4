import { EventEmitter } from 'node:events';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { Agent } from 'undici';
import { chargeKeyOf } from './charge-keys.ts';
import { replace } from './globals.ts';
import { isLostCallback } from './lost-callbacks.ts';
import { MeanwhileElsewhere } from './meanwhile.ts';
import { Misreports } from './misreports.ts';
import type { Answered, Asked } from './requests.ts';
import { type Scheduler, type SimulatedProcess, runningProcess } from './scheduler.ts';
import { stallAfterCharge } from './stalls.ts';

/** Answers the requests to one address. */
interface Server {
  name: string;
  process: SimulatedProcess | null;
  answer: (asked: Asked) => Promise<Answered>;
}

/** The faults of requests between two processes, with their probabilities. */
const kinds = [
  ['request lost', 0.01],
  ['answer lost', 0.02],
  ['answer held', 0.01],
  ['request doubled', 0.01],
] as const;

/** An answer of the API is held for less, in ms, so that its callers see no more than I21 allows. */
const heldByApiMs = 8_000;

/** How often a request to a provider arrives late, maybe after its caller has given it up. */
const heldShare = 0.01;
const heldMs = [500, 11_000] as const;
const providers: readonly string[] = ['vault', 'network', 'stripe', 'pciVault'];
/** No request is held so soon after its process was frozen, in ms: it would be older than a key may be. */
const notHeldMs = 30_000;

/** All HTTP of the simulation. Each call is a request to one of its servers, after a delay. */
export class SimulatedNetwork {
  readonly #scheduler: () => Scheduler;
  readonly #servers = new Map<string, Server>();
  /** How often the service sent each charge, by its key. A request that the network doubled was sent once. */
  readonly sentCharges = new Map<string, number>();
  /** Whether a callback about the charge of a key may be lost for ever. */
  mayLoseCallback: (chargeKey: string) => boolean = () => true;
  /** What the money network answers instead of the truth. */
  readonly misreports = new Misreports(() => this.#scheduler());
  readonly meanwhile = new MeanwhileElsewhere(() => this.#scheduler());

  constructor(scheduler: () => Scheduler) {
    this.#scheduler = scheduler;
  }

  add(origin: string, server: Server): void {
    this.#servers.set(origin, server);
  }

  /** Adds a Fastify application as a server that is called without a socket. */
  addApp(origin: string, name: string, process: SimulatedProcess, app: FastifyInstance): void {
    this.add(origin, { name, process, answer: (asked) => inject(app, asked) });
  }

  remove(origin: string): void {
    this.#servers.delete(origin);
  }

  /** Sends a request. It rejects as a broken connection does. */
  async send(asked: Asked): Promise<Answered> {
    const scheduler = this.#scheduler();
    const from = runningProcess()?.name ?? 'outside';
    const to = this.#servers.get(asked.url.origin);
    this.#countCharge(asked);
    const what = `${from} -> ${to?.name ?? 'nobody'}: ${asked.method} ${routeOf(asked.url)}`;
    const faulty = isByHarness(asked, to)
      ? undefined
      : kinds.find(([kind, share]) => scheduler.draws(`${kind} (${to?.name})`, share))?.[0];
    await scheduler.pause(0.1, 12, what);
    if (isLostCallback(asked, this.mayLoseCallback, scheduler)) return { status: 204, headers: {}, body: '' };
    if (faulty === 'request lost') throw reset();
    if (to && this.#isHeld(to)) await this.#hold();
    await this.meanwhile.around(asked, 'before');
    const answering = this.#reach(asked);
    answering.catch(() => undefined);
    if (faulty === 'request doubled') {
      await scheduler.pause(0.1, 40);
      this.#reach(asked).catch(() => undefined);
    }
    const answered = this.#seen(asked, to, await answering);
    await this.meanwhile.around(asked, 'after');
    if (faulty === 'answer held') await scheduler.pause(500, to?.name === 'api' ? heldByApiMs : 14_000);
    await scheduler.pause(0.1, 8);
    if (faulty === 'answer lost') throw reset();
    const chargeKey = chargeKeyOf(asked);
    const owner = runningProcess();
    if (chargeKey !== null && owner !== null) {
      await stallAfterCharge({ chargeKey, isDeclined: isDecline(answered) }, owner, scheduler);
    }
    return answered;
  }

  /** Returns an answer as the service gets it. The harness gets the truth. */
  #seen(asked: Asked, to: Server | undefined, answered: Answered): Answered {
    if (to === undefined || runningProcess() === null) return answered;
    return this.misreports.amend(to.name, asked, answered);
  }

  #isHeld({ name }: Server): boolean {
    const scheduler = this.#scheduler();
    const from = runningProcess();
    if (from === null || !providers.includes(name)) return false;
    if (from.frozenUntilMs > scheduler.nowMs - notHeldMs) return false;
    return scheduler.draws(`request held (${name})`, heldShare);
  }

  /** A request on its way arrives also when its process was killed or frozen meanwhile. */
  #hold(): Promise<void> {
    const scheduler = this.#scheduler();
    return new Promise((resolve) => {
      scheduler.outside(scheduler.delay(...heldMs), null, resolve);
    });
  }

  #countCharge(asked: Asked): void {
    const key = chargeKeyOf(asked);
    if (runningProcess() === null || key === null) return;
    this.sentCharges.set(key, (this.sentCharges.get(key) ?? 0) + 1);
  }

  #reach(asked: Asked): Promise<Answered> {
    const server = this.#servers.get(asked.url.origin);
    if (server === undefined || server.process?.isAlive === false) return Promise.reject(refused());
    const { process } = server;
    return new Promise((resolve, reject) => {
      const cut = (): void => reject(reset());
      process?.atDeath.add(cut);
      const answer = (): void =>
        void server
          .answer(asked)
          .then(resolve, () => reject(reset()))
          .finally(() => process?.atDeath.delete(cut));
      if (process) this.#scheduler().runAwake(process, answer);
      else answer();
    });
  }

  /** Replaces the HTTP clients of this program. Returns functions that restore them. */
  serve(): (() => void)[] {
    const send = (asked: Asked): Promise<Answered> => this.send(asked);
    const undo = [
      replace(Agent.prototype, 'dispatch', dispatchBy(send)),
      replace(globalThis, 'fetch', fetchBy(send)),
      replace(http, 'request', requestBy(send)),
    ];
    syncBuiltinESMExports();
    return [...undo, syncBuiltinESMExports];
  }
}

/** Whether the harness calls a provider. Only it has a provider's key outside of all processes. */
const isByHarness = ({ headers }: Asked, to: Server | undefined): boolean =>
  runningProcess() === null && to?.name !== 'api' && headers['authorization'] !== undefined;

/** Whether a network answers that it declined a charge. */
const isDecline = ({ body }: Answered): boolean =>
  /"(?:status|type|code)":"(?:declined|card_error|card_declined)"/.test(body);

const reset = (): Error => Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' });
const refused = (): Error =>
  Object.assign(new Error('the connection was refused'), { code: 'ECONNREFUSED', syscall: 'connect' });

/** Returns the path without ids and secrets: the log of a run names no secret and no random id. */
const routeOf = ({ pathname }: URL): string =>
  pathname.replace(/[0-9a-f-]{36}[^/]*/g, ':id').replace(/\/[\w-]{24,}/g, '/:id');

async function inject(app: FastifyInstance, { method, url, headers, body }: Asked): Promise<Answered> {
  const answer = await app.inject({
    method: method as 'GET',
    url: url.pathname + url.search,
    headers: { host: url.host, ...headers },
    ...(body === '' ? {} : { payload: body }),
  });
  return { status: answer.statusCode, headers: plain(answer.headers), body: answer.body };
}

const plain = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );

type Send = (asked: Asked) => Promise<Answered>;

/** The callbacks of undici's request. */
interface DispatchHandler {
  onConnect: (abort: (reason?: Error) => void) => void;
  onHeaders: (status: number, headers: Buffer[], resume: () => void, text: string) => void;
  onData: (chunk: Buffer) => void;
  onComplete: (trailers: string[]) => void;
  onError: (error: Error) => void;
}

interface Dispatched {
  origin: string | URL;
  path: string;
  method: string;
  query?: Record<string, string>;
  headers?: Record<string, string> | null;
  body?: string | Buffer | AsyncIterable<Uint8Array> | null;
}

async function textOf(body: Dispatched['body']): Promise<string> {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return String(body ?? '');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const dispatchBy = (send: Send) =>
  function dispatch(this: unknown, given: Dispatched, handler: DispatchHandler): boolean {
    let isOver = false;
    handler.onConnect((reason) => {
      if (isOver) return;
      isOver = true;
      handler.onError(reason ?? reset());
    });
    if (isOver) return true;
    const { method, headers, query } = given;
    const url = new URL(given.path, String(given.origin));
    if (query) url.search = new URLSearchParams(query).toString();
    const sending = textOf(given.body).then((body) =>
      send({ method, url, headers: plain(headers ?? {}), body }),
    );
    sending.then(
      (answer) => {
        if (isOver) return;
        isOver = true;
        const raw = Object.entries(answer.headers).flatMap((pair) => pair.map((text) => Buffer.from(text)));
        handler.onHeaders(answer.status, raw, () => undefined, '');
        if (answer.body !== '') handler.onData(Buffer.from(answer.body));
        handler.onComplete([]);
      },
      (error: Error) => {
        if (isOver) return;
        isOver = true;
        handler.onError(error);
      },
    );
    return true;
  };

const fetchBy =
  (send: Send) =>
  async (given: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', signal } = init;
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const body = typeof init.body === 'string' ? init.body : '';
    const sending = send({ method, url: new URL(given), headers, body });
    const answer = await (signal ? Promise.race([sending, aborted(signal)]) : sending);
    const text = [204, 302, 303, 304].includes(answer.status) ? null : answer.body;
    return new Response(text, { status: answer.status, headers: answer.headers });
  };

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** `http.request`, as the sender of webhooks calls it. */
const requestBy =
  (send: Send) =>
  (url: URL, { method, headers }: { method: string; headers: object }, receive: (answer: object) => void) => {
    let destroyed = false;
    const request = Object.assign(new EventEmitter(), {
      destroy: (): void => {
        destroyed = true;
      },
      end: (body: string): void => {
        send({ method, url, headers: plain(headers), body }).then(
          (answered) => {
            if (destroyed) return;
            const answer = Object.assign(new EventEmitter(), {
              statusCode: answered.status,
              headers: answered.headers,
            });
            receive(answer);
            if (answered.body !== '') answer.emit('data', Buffer.from(answered.body));
            answer.emit('end');
          },
          (error: unknown) => {
            if (!destroyed) request.emit('error', error);
          },
        );
      },
    });
    return request;
  };
