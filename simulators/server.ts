import type { Socket } from 'node:net';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { z } from 'zod';
import { createBoundedServer } from './bounded-server.ts';
import { bearerMatches } from './secrets.ts';

/** Logs one event. It never contains bodies, addresses or headers. */
export type Log = (event: string, fields?: Record<string, string | number | boolean | null>) => void;

/** A documented answer other than 200. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export interface ServerOptions {
  log: Log;
  /** Awaited before any answer leaves, so that no answer reports a change that a crash could undo. */
  flushed: () => Promise<void>;
  /** The body of an error; by default `{error: {code, message, field?}}`. */
  errorBody?: (refusal: Refusal) => object;
}

const BODY_LIMIT_BYTES = 64 * 1024;

/**
 * Ends a connection. One that never sent a byte gets no answer, because a browser could take it for the
 * answer to another request.
 */
function hangUp(socket: Socket): void {
  if (socket.writable && socket.bytesRead > 0) {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  } else {
    socket.destroy();
  }
}

/**
 * Returns a Fastify instance with the simulators' defaults: JSON errors `{error: {code, message, field?}}`,
 * bounds on size and time, route templates instead of addresses in the log, and `GET /healthz`.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (handler) => createBoundedServer(handler),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: (_error, socket) => hangUp(socket),
  });
  acceptEmptyJson(app);
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });
  app.addHook('onSend', async (_request, _reply, payload) => {
    await options.flushed();
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    options.log('request', {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });
  const { log, errorBody = plainErrorBody } = options;
  const refuse = (reply: FastifyReply, refusal: Refusal): FastifyReply =>
    reply.code(refusal.status).send(errorBody(refusal));
  app.setErrorHandler((error: FastifyError, _request, reply) => refuse(reply, refusalOf(error, log)));
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, new Refusal(404, 'not_found', 'There is nothing here.')),
  );
  app.get('/healthz', async () => ({ status: 'ok' }));
  return app;
}

/**
 * Requires `key` as the bearer token; the refusal is the same for a missing and a wrong one.
 */
export function requireBearer(key: string): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    if (bearerMatches(request.headers.authorization, key)) return;
    void reply.header('www-authenticate', 'Bearer');
    throw new Refusal(401, 'unauthorized', 'The service key is missing or wrong.');
  };
}

/**
 * Returns the body as `schema` types it. Refuses with 400 `invalid_request` and the first wrong field; never
 * quotes the input.
 */
export function parseBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') || 'body';
  throw new Refusal(400, 'invalid_request', `The field ${field} is missing or wrong.`, field);
}

/** Cuts the connection without an answer: the caller cannot know what happened. */
export function destroySocket(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}

/** Accepts calls without a body that have the JSON content type, as many clients send them. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body, done);
  });
}

function refusalOf(error: FastifyError, log: Log): Refusal {
  if (error instanceof Refusal) return error;
  const status = error.statusCode ?? 500;
  if (status < 500) return new Refusal(status === 413 ? 413 : 400, 'invalid_request', plainReason(status));
  // The message of an unexpected error may contain input; its class and code do not.
  log('fault', { error: error.name, code: error.code ?? null });
  return new Refusal(500, 'internal_error', 'Something went wrong inside the simulator.');
}

function plainReason(status: number): string {
  if (status === 413) return 'The body is larger than 64 KiB.';
  if (status === 415) return 'The content type is not supported here.';
  return 'The request could not be read.';
}

function plainErrorBody({ code, message, field }: Refusal): object {
  return { error: { code, message, ...(field === undefined ? {} : { field }) } };
}

/** Options of every simulator. */
export interface SimulatorOptions {
  host?: string;
  /** 0 (default) picks any free port. */
  port?: number;
  /** The address by which clients reach the simulator; by default the one it listens on. */
  publicUrl?: string;
  /** Epoch ms. */
  now?: () => number;
  log?: Log;
  onBroken?: (reason: Error) => void;
}

/** The address of a simulator; known at the latest when it listens. */
export class PublicAddress {
  readonly #options: SimulatorOptions;
  #url: string;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.#url = options.publicUrl ?? '';
  }

  get url(): string {
    return this.#url;
  }

  async listen(app: FastifyInstance): Promise<string> {
    const { host = '127.0.0.1', port = 0 } = this.#options;
    const listening = await app.listen({ host, port });
    this.#url ||= listening;
    return this.#url;
  }
}
