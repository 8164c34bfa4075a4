import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ApiRequest } from '../../domain/api-request.ts';
import { isUuid } from '../../http/request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The facts about the answer that the request log stores. */
    logDetail: { errorCode: string | null; paymentId: string | null } | null;
  }
}

/** A queue of requests to store, many in one statement. ADR 0025. */
export interface RequestLog {
  /** Adds a request. Returns at once and never throws. */
  note(request: ApiRequest): void;
  /** The number of requests that were dropped since the process began. */
  readonly dropped: number;
  /** Stores the waiting requests; takes at most `waitMs`. */
  stop(waitMs: number): Promise<void>;
}

/** The status stored for a call whose caller disconnected before the answer. */
const clientClosedRequest = 499;
/** The maximum number of requests in one statement. */
const batch = 1_000;

/**
 * Returns a log that is written in the background: no request waits for it. If the database does not accept
 * requests for long, they are dropped and counted. `insert` writes a batch, and may get the same one again.
 * `isRefused`: whether the database refused the batch itself, so that a retry is useless. One key may use at
 * most half of `maxWaiting`, so that a flood leaves room for others. `everyMs`: how long requests are
 * gathered.
 * Written here because no queue library offers both a share of the room for each key and retried batches.
 */
export function createRequestLog(deps: {
  insert: (requests: readonly ApiRequest[]) => Promise<void>;
  isRefused: (error: unknown) => boolean;
  logger: Pick<Logger, 'warn'>;
  maxWaiting?: number;
  everyMs?: number;
}): RequestLog {
  const { maxWaiting = 10_000, everyMs = 1_000 } = deps;
  let waiting: ApiRequest[] = [];
  let ofKey = new Map<string, number>();
  let dropped = 0;
  let reported = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let stopped = false;

  const schedule = (): void => {
    if (timer !== null || writing !== null || waiting.length === 0 || stopped) return;
    timer = setTimeout(() => {
      timer = null;
      void write();
    }, everyMs);
    // The timer does not keep the process alive.
    timer.unref();
  };

  const writeAll = async (): Promise<void> => {
    try {
      for (let next = waiting.slice(0, batch); next.length > 0; next = waiting.slice(0, batch)) {
        let refused = 0;
        try {
          await deps.insert(next);
        } catch (error) {
          if (!deps.isRefused(error)) throw error;
          refused = next.length;
        }
        waiting = waiting.slice(next.length);
        dropped += refused;
      }
    } catch (error) {
      // The waiting requests are tried again with the next batch, as long as there is room.
      deps.logger.warn({ err: error, waiting: waiting.length }, 'requests not stored yet');
    }
    ofKey = new Map();
    for (const { keyId } of waiting) ofKey.set(keyId, (ofKey.get(keyId) ?? 0) + 1);
    if (dropped > reported)
      deps.logger.warn({ dropped: dropped - reported }, 'requests dropped from the request log');
    reported = dropped;
  };

  const write = (): Promise<void> =>
    (writing ??= writeAll().finally(() => {
      writing = null;
      schedule();
    }));

  return {
    get dropped() {
      return dropped;
    },
    note: (request) => {
      const held = ofKey.get(request.keyId) ?? 0;
      if (waiting.length >= maxWaiting || held >= maxWaiting / 2) {
        dropped += 1;
        return;
      }
      waiting.push(request);
      ofKey.set(request.keyId, held + 1);
      schedule();
    },
    stop: async (waitMs) => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      const work = async (): Promise<void> => {
        await writing;
        await write();
      };
      await Promise.race([work(), sleep(waitMs, undefined, { ref: false })]);
    },
  };
}

/**
 * Logs every call that has a merchant's key: its route template and its result, and no byte of the request or
 * the answer. Calls without a known key belong to no merchant and are not logged. `now`: epoch ms.
 */
export function recordRequests(app: FastifyInstance, log: RequestLog, now: () => number): void {
  const note = (request: FastifyRequest, status: number, ms: number): void => {
    const { principal } = request;
    if (!principal) return;
    log.note({
      id: request.id,
      merchantId: principal.merchantId,
      environment: principal.environment,
      at: new Date(now() - ms),
      method: request.method,
      route: request.routeOptions.url ?? '',
      status,
      errorCode: request.logDetail?.errorCode ?? null,
      ms,
      keyId: principal.keyId,
      paymentId: pathPayment(request) ?? request.logDetail?.paymentId ?? null,
    });
  };
  app.decorateRequest('logDetail', null);
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.principal) request.logDetail = logDetailOf(request, payload);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    note(request, reply.statusCode, Math.round(reply.elapsedTime));
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    note(request, clientClosedRequest, Math.max(0, now() - arrivedAt(request.id)));
    done();
  });
}

/** Returns the arrival time of a call, in epoch ms; it is part of the request id. */
const arrivedAt = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** Returns the payment that the path names; null if it names none or has a malformed id. */
function pathPayment(request: FastifyRequest): string | null {
  const { id } = (request.params ?? {}) as { id?: string };
  const ofPayments = /^\/v1\/(sandbox\/)?payments\/:id/.test(request.routeOptions.url ?? '');
  return ofPayments && id !== undefined && isUuid(id) ? id.toLowerCase() : null;
}

/** Returns the code of a refusal, and the payment that the answer names. */
function logDetailOf(request: FastifyRequest, payload: unknown): FastifyRequest['logDetail'] {
  const { data, error } = (payload ?? {}) as {
    data?: { id?: unknown; paymentId?: unknown } | null;
    error?: { code?: unknown };
  };
  const isCreated = request.method === 'POST' && request.routeOptions.url === '/v1/payments';
  const payment = isCreated ? data?.id : data?.paymentId;
  return {
    errorCode: typeof error?.code === 'string' ? error.code : null,
    paymentId: typeof payment === 'string' && isUuid(payment) ? payment : null,
  };
}
