import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { composeApi } from '../../src/api/compose.ts';
import type { Settings } from '../../src/runtime/settings.ts';
import { jsonBody } from '../support/answers.ts';
import { createTestLogger } from '../support/logger.ts';
import type { Answer, CaptureAccess } from '../support/shop.ts';
import type { World } from '../support/world.ts';
import { Probe } from './contract-checks.ts';

/** A UUID that was never a payment. */
export const unknownId = '7d2f1b0a-3c4d-4e5f-8a6b-9c0d1e2f3a4b';

/** The merchants and keys of the checklist's fixtures (section 0). */
export interface Merchants {
  merchants: Record<'a' | 'b' | 'n' | 's' | 'u', string>;
  a: Probe;
  aSecond: Probe;
  aLive: Probe;
  aCard: Probe;
  b: Probe;
  bLive: Probe;
  n: Probe;
  s: Probe;
  sLive: Probe;
  k: Probe;
  u: Probe;
}

export async function openCast(world: World): Promise<Merchants> {
  const approved = { customActions: true };
  const off = { customMode: false };
  const [a, b, n, s, k, u] = await Promise.all([
    world.merchant({
      sandbox: { ...approved, embeddingOrigins: ['https://shop.example'] },
      live: approved,
    }),
    world.merchant({ sandbox: approved, live: approved }),
    world.merchant({ sandbox: off, live: off }),
    world.merchant({ live: off }),
    world.merchant({ sandbox: { methods: ['card'] } }),
    world.merchant(),
  ]);
  const probe = async (merchant: string, environment: 'sandbox' | 'live', own = {}) =>
    new Probe(world.baseUrl, await world.key(merchant, environment, own));
  return {
    merchants: { a, b, n, s, u },
    a: await probe(a, 'sandbox'),
    aSecond: await probe(a, 'sandbox'),
    aLive: await probe(a, 'live'),
    aCard: await probe(a, 'sandbox', { methods: ['card'] }),
    b: await probe(b, 'sandbox'),
    bLive: await probe(b, 'live'),
    n: await probe(n, 'sandbox'),
    s: await probe(s, 'sandbox'),
    sLive: await probe(s, 'live'),
    k: await probe(k, 'sandbox'),
    u: await probe(u, 'sandbox'),
  };
}

/** Returns the access in an answer of prepare; fails the test when there is none. */
export function accessOf(answer: Answer | undefined): CaptureAccess {
  const access: unknown = answer?.body.data?.['capture'];
  if (typeof access !== 'object' || access === null)
    throw new Error(`no access in ${answer?.status} ${answer?.text}`);
  return access as CaptureAccess;
}

/** Returns the number of payments that a key can read. */
export async function total(shop: Probe): Promise<number> {
  const answer = await shop.call('GET', '/v1/payments?perPage=1');
  return (jsonBody(answer) as { meta: { total: number } }).meta.total;
}

/**
 * Sends bytes unchanged and reads the answer, or until the server closes. Returns status, head and body as
 * text.
 */
export async function sendRaw(
  baseUrl: string,
  text: string,
): Promise<{ status: number; head: string; body: string; json: { error?: { code?: string } } }> {
  const { hostname, port } = new URL(baseUrl);
  const all = await new Promise<string>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.setEncoding('latin1');
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk: string) => {
      received += chunk;
      const [head = '', rest] = received.split('\r\n\r\n', 2);
      const length = /^content-length: (\d+)$/im.exec(head)?.[1];
      if (length !== undefined && rest !== undefined && rest.length >= Number(length)) socket.end();
    });
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.on('close', () => resolve(received));
    socket.write(text, 'latin1');
  });
  const split = all.indexOf('\r\n\r\n');
  const head = split === -1 ? all : all.slice(0, split);
  const rest = split === -1 ? '' : all.slice(split + 4);
  // Sufficient for answers of one chunk.
  const body = /transfer-encoding: chunked/i.test(head)
    ? (rest.replace(/^[0-9a-f]+\r\n/i, '').split('\r\n')[0] ?? '')
    : rest;
  let json: { error?: { code?: string } } = {};
  try {
    json = JSON.parse(body) as typeof json;
  } catch {
    // The assertion that reads it fails.
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body, json };
}

/**
 * A proxy in front of a simulator that can hold or cut calls, so that tests decide when an answer arrives.
 */
export interface HoldingProxy {
  url: string;
  target: string;
  /** Holds calls whose `METHOD path` matches until they are released: the first `most` of them, or all. */
  hold(pattern: RegExp, max?: number): { arrived: () => number; release: () => void };
  /** Whether every connection is cut without an answer, before anything is passed on. */
  closed: boolean;
  close(): Promise<void>;
}

export async function openGate(): Promise<HoldingProxy> {
  const holds = new Set<{ pattern: RegExp; max: number; count: number; released: Promise<void> }>();
  const pass = (incoming: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const target = new URL(incoming.url ?? '/', gate.target);
    const headers = { ...incoming.headers, host: target.host };
    // The origin of a page that came through the proxy becomes the target's own.
    if (headers.origin === gate.url) headers.origin = target.origin;
    const outgoing = httpRequest(target, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    outgoing.end(body);
  };
  const server = createServer((incoming, response) => {
    if (gate.closed) return void incoming.socket.destroy();
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const held = [...holds].find(
        ({ pattern, max, count }) => count < max && pattern.test(`${incoming.method} ${incoming.url}`),
      );
      if (!held) return pass(incoming, Buffer.concat(chunks), response);
      held.count += 1;
      void held.released.then(() => pass(incoming, Buffer.concat(chunks), response));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const gate: HoldingProxy = {
    url: `http://127.0.0.1:${port}`,
    target: '',
    closed: false,
    hold(pattern, max = Infinity) {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const entry = { pattern, max, count: 0, released };
      holds.add(entry);
      return {
        arrived: () => entry.count,
        release: () => {
          holds.delete(entry);
          release();
        },
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;
}

/**
 * Starts another API of the same service in this process, with its own pools, limiter memory and settings.
 */
export async function openApi(
  world: World,
  changes: Partial<Settings> = {},
): Promise<{ baseUrl: string; app: FastifyInstance; logs: string[]; stop: () => Promise<void> }> {
  const logs: string[] = [];
  const logger = createTestLogger(logs);
  const api = composeApi({ ...world.settings, ...changes }, logger);
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
  return { baseUrl, app: api.app, logs, stop: api.stop };
}

/** Orders the outcome of an attempt at the network before it is charged. */
export async function simulateOutcome(
  world: World,
  paymentId: string,
  attemptNo: number,
  outcome: 'captured' | 'declined' | 'failed' | 'requires_action' | 'pending',
): Promise<void> {
  await networkCall(
    world,
    'POST',
    `/v1/simulate/charges/${encodeURIComponent(`${paymentId}:${attemptNo}`)}`,
    {
      outcome,
    },
  );
}

export async function injectFault(world: World, mode: string, paymentId: string): Promise<void> {
  await networkCall(world, 'POST', '/v1/faults', { mode, count: 1, paymentId });
}

/** Answers a challenge as the customer, without a page. */
export async function answerChallenge(
  world: World,
  paymentId: string,
  result: 'authenticated' | 'failed',
  attemptNo = 1,
): Promise<void> {
  await networkCall(
    world,
    'POST',
    `/v1/simulate/challenges/${encodeURIComponent(`${paymentId}:${attemptNo}`)}`,
    { result },
  );
}

async function networkCall(world: World, method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(world.networkUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
}

/** Returns the number of calls to the network, by kind. */
export async function networkCalls(world: World): Promise<Record<string, number>> {
  const response = await fetch(`${world.networkUrl}/stats`);
  return ((await response.json()) as { calls: Record<string, number> }).calls;
}
