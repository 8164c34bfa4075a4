import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { isSigned } from '../support/harness/webhook-signature.ts';
import { type Stack, callWithRetries, callAndParse } from './api.ts';

/** A delivery signed before a rotation may still arrive for as long as a try can take. */
const oneTryMs = 20_000;

/** One delivery as it came; `taken`: it was answered as received. */
export interface Delivery {
  eventId: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
  taken: boolean;
}

/** Returns the behaviour of an endpoint for the delivery of an index, from 0: whether it accepts it. */
export type Behaviour = (response: ServerResponse, index: number) => boolean;

export const takes: Behaviour = (response) => {
  response.writeHead(204).end();
  return true;
};

export const failsNowAndThen: Behaviour = (response, index) => {
  if (Math.random() >= 0.3) return takes(response, index);
  response.writeHead(500).end('not now');
  return false;
};

/** Every twentieth delivery gets its headers byte by byte, for ever. */
export const drips: Behaviour = (response, index) => {
  if (index % 20 !== 0) return takes(response, index);
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const timer = setInterval(() => socket?.write('a'), 200);
  socket?.on('error', () => undefined);
  socket?.on('close', () => clearInterval(timer));
  return false;
};

const registered = z.object({ id: z.string(), secret: z.string() });
const rotated = z.object({ secret: z.string() });

/** A listening endpoint that is registered with the service. */
export class Endpoint {
  readonly received: Delivery[] = [];
  readonly #server;
  readonly #stack: Stack;
  readonly name: string;
  #port = 0;
  #id = '';
  #secret = '';
  /** The secret after a rotation, and from when on deliveries surely carry it. */
  #next: { secret: string; fromMs: number } | null = null;

  constructor(stack: Stack, name: string, behaviour: Behaviour) {
    this.#stack = stack;
    this.name = name;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        this.received.push({
          eventId: String(request.headers['webhook-id']),
          headers: request.headers,
          body: Buffer.concat(chunks),
          atMs: Date.now(),
          taken: behaviour(response, this.received.length),
        });
      });
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
    if (this.#id !== '') return;
    this.#port = (this.#server.address() as AddressInfo).port;
    const body = { url: `http://127.0.0.1:${this.#port}/${this.name}` };
    const request = { method: 'POST', path: '/v1/webhook-endpoints', body } as const;
    const { id, secret } = await callAndParse(this.#stack, request, registered);
    this.#id = id;
    this.#secret = secret;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async remove(): Promise<void> {
    await callWithRetries(this.#stack, { method: 'DELETE', path: `/v1/webhook-endpoints/${this.#id}` });
    await this.close();
  }

  async rotateSecret(): Promise<void> {
    const path = `/v1/webhook-endpoints/${this.#id}/rotate-secret`;
    const { secret } = await callAndParse(this.#stack, { method: 'POST', path }, rotated);
    this.#next = { secret, fromMs: Date.now() + oneTryMs };
  }

  /**
   * Whether it is signed with the secret the endpoint began with and, after a rotation, with the new one as
   * well.
   */
  trusts({ headers, body, atMs }: Delivery): boolean {
    if (!isSigned(this.#secret, headers, body)) return false;
    return this.#next === null || atMs < this.#next.fromMs || isSigned(this.#next.secret, headers, body);
  }

  /** How many of these events it has not taken. */
  missing(eventIds: Iterable<string>): number {
    const taken = new Set(this.received.filter((each) => each.taken).map(({ eventId }) => eventId));
    return [...eventIds].filter((id) => !taken.has(id)).length;
  }
}
