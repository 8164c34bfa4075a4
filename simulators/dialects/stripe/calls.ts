import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { randomBase62, sha256Hex, stableJson } from '../../secrets.ts';
import { destroySocket } from '../../server.ts';
import { authenticate, type Caller } from './auth.ts';
import type { StripeContext, StripeFaultMode } from './context.ts';
import { inProgress, StripeError } from './errors.ts';
import type { Cause } from './events.ts';
import { expanded } from './expand.ts';
import { parseParameters } from './parameters.ts';
import type { SavedAnswer } from './records.ts';
import { formOf, keyOf, pathOf, scoped, versionOf } from './request.ts';
import type { ApiObject } from './views.ts';

/** One call, as the rules receive it. */
export interface Call<Parameters> {
  caller: Caller;
  /** The id in the path, empty where there is none. */
  id: string;
  parameters: Parameters;
  idempotencyKey: string | null;
  /** May send whole card numbers. */
  isCardProxy: boolean;
  cause: Cause;
}

/** The effect of a call, and how the call is answered (see `Start`). */
export interface Result {
  object: ApiObject;
  answer?: 'now' | 'lost' | 'never' | 'processed';
  /** For `processed`: the intent whose final state is the answer. */
  intentId?: string;
}

interface Route<Parameters> {
  /** The name by which faults are injected, such as `payment_intents.confirm`. */
  kind: string;
  schema: z.ZodType<Parameters>;
  /** The payment that the call is about, for faults. */
  paymentOf?: (call: Call<Parameters>) => string | null;
  run: (call: Call<Parameters>) => Result;
  /** Largest body, when it differs from the default. */
  bodyLimitBytes?: number;
}

interface Answered {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const SLOW_MS = 5_000;
const UNAVAILABLE = { error: { type: 'api_error', message: 'The API is temporarily unavailable.' } };
const BAD_GATEWAY = '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>';
/** Faults that lose or break the answer after the effect. */
const BROKEN_ANSWERS: ReadonlySet<StripeFaultMode | null> = new Set(['noAnswer', 'lostResponse', 'halfBody']);

/**
 * Registers routes of the API: authentication, versions, idempotency keys, parameters, injected faults,
 * expansion and answers are the same for all of them.
 */
export class Calls {
  readonly #stripe: StripeContext;
  readonly #app: FastifyInstance;

  constructor(stripe: StripeContext, app: FastifyInstance) {
    this.#stripe = stripe;
    this.#app = app;
  }

  get<Parameters extends { expand: string[] }>(path: string, route: Route<Parameters>): void {
    this.#app.get(path, async (request, reply) => {
      await this.#serve(request, reply, route);
      return reply;
    });
  }

  post<Parameters extends { expand: string[] }>(path: string, route: Route<Parameters>): void {
    const options = route.bodyLimitBytes === undefined ? {} : { bodyLimit: route.bodyLimitBytes };
    this.#app.post(path, options, async (request, reply) => {
      await this.#serve(request, reply, route);
      return reply;
    });
  }

  delete<Parameters extends { expand: string[] }>(path: string, route: Route<Parameters>): void {
    this.#app.delete(path, async (request, reply) => {
      await this.#serve(request, reply, route);
      return reply;
    });
  }

  async #serve<Parameters extends { expand: string[] }>(
    request: FastifyRequest,
    reply: FastifyReply,
    route: Route<Parameters>,
  ): Promise<void> {
    const requestId = `req_${randomBase62(14)}`;
    void reply.header('request-id', requestId);
    try {
      await this.#answer(request, reply, route, requestId);
    } catch (error) {
      if (error instanceof StripeError) void reply.headers(error.headers);
      throw error;
    }
  }

  async #answer<Parameters extends { expand: string[] }>(
    request: FastifyRequest,
    reply: FastifyReply,
    route: Route<Parameters>,
    requestId: string,
  ): Promise<void> {
    const { calls } = this.#stripe;
    calls.set(route.kind, (calls.get(route.kind) ?? 0) + 1);
    const caller = authenticate(request.headers.authorization);
    const idempotencyKey = request.method === 'POST' ? keyOf(request) : null;
    void reply.headers({
      'stripe-version': versionOf(request),
      ...(idempotencyKey === null
        ? {}
        : { 'idempotency-key': idempotencyKey, 'original-request': requestId }),
    });
    const form = formOf(request);
    const fingerprint = sha256Hex(stableJson([request.method, pathOf(request), form]));
    const savedAs = idempotencyKey === null ? null : scoped(caller, idempotencyKey);

    const earlier = savedAs === null ? undefined : this.#stripe.savedAnswers.get(savedAs);
    if (earlier) return this.#replay(reply, earlier, fingerprint);
    const { running } = this.#stripe;
    if (savedAs !== null && running.has(savedAs)) throw inProgress();

    const { id = '' } = request.params as { id?: string };
    const call: Call<Parameters> = {
      caller,
      id,
      parameters: parseParameters(route.schema, form),
      idempotencyKey,
      isCardProxy: this.#isCardProxy(request),
      cause: { requestId, idempotencyKey },
    };
    const fault = this.#faultFor(route, call);
    if (savedAs !== null) running.add(savedAs);
    try {
      if (fault && (await this.#isAnsweredBefore(fault, reply))) return;
    } finally {
      if (savedAs !== null) running.delete(savedAs);
    }

    const save = (saved: Pick<SavedAnswer, 'answer' | 'settles'>): void => {
      if (savedAs === null) return;
      this.#stripe.savedAnswers.put(savedAs, { fingerprint, at: this.#stripe.now(), requestId, ...saved });
    };
    if (fault === 'error') {
      const failed = serverError();
      save({ answer: failed, settles: null });
      return send(reply, failed);
    }
    // An effect and the answer under its key are written together: a crash leaves both, or neither.
    const { answered, how, intentId } = this.#stripe.together(() => {
      const done = this.#carryOut(route, call, fault);
      const settles = done.how === 'processed' ? (done.intentId ?? null) : null;
      save({ answer: settles === null ? done.answered : null, settles });
      return done;
    });
    if (how === 'processed' && intentId !== undefined) {
      await this.#stripe.ledger.processed(intentId);
      const processed = this.#processedAnswer(caller, intentId, call.parameters.expand);
      save({ answer: processed, settles: null });
      return send(reply, processed);
    }
    return this.#afterEffect(fault, how, answered, reply);
  }

  #carryOut<Parameters extends { expand: string[] }>(
    route: Route<Parameters>,
    call: Call<Parameters>,
    fault: StripeFaultMode | null,
  ): { answered: Answered; how: NonNullable<Result['answer']>; intentId?: string | undefined } {
    try {
      const { object, answer = 'now', intentId } = route.run(call);
      const shown = expanded(this.#stripe.ledger, call.caller, object, call.parameters.expand);
      const answered = fault === 'errorAfter' ? serverError() : { status: 200, body: toJson(shown) };
      return { answered, how: answer, intentId };
    } catch (error) {
      if (!(error instanceof LostAnswer)) {
        if (!(error instanceof StripeError) || !error.saved) throw error;
        return { answered: asAnswer(error), how: 'now' };
      }
      return { answered: asAnswer(error.error), how: 'lost' };
    }
  }

  /** Answers a repeated key with the answer of the first call. */
  #replay(reply: FastifyReply, earlier: SavedAnswer, fingerprint: string): void {
    if (earlier.fingerprint !== fingerprint) {
      throw new StripeError(400, {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
          'Try using a key other than the one you sent if you meant to execute a different request.',
      });
    }
    const answer = earlier.answer ?? this.#processedLater(earlier);
    if (!answer) throw inProgress();
    void reply.headers({ 'idempotent-replayed': 'true', 'original-request': earlier.requestId });
    return send(reply, answer);
  }

  /** Returns the answer that a restart or a lost caller left unsent; null while the intent is processing. */
  #processedLater(earlier: SavedAnswer): Answered | null {
    const intent = this.#stripe.ledger.findIntent(earlier.settles ?? '');
    if (!intent || intent.status === 'processing') return null;
    return { status: 200, body: toJson(this.#stripe.ledger.showIntent(intent)) };
  }

  #processedAnswer(caller: Caller, intentId: string, expand: string[]): Answered {
    const { ledger } = this.#stripe;
    const shown = ledger.showIntent(ledger.intent(caller, intentId));
    return { status: 200, body: toJson(expanded(ledger, caller, shown, expand)) };
  }

  #faultFor<Parameters>(route: Route<Parameters>, call: Call<Parameters>): StripeFaultMode | null {
    return this.#stripe.faults.take({
      merchantId: call.caller.accountId,
      environment: call.caller.live ? 'live' : 'sandbox',
      paymentId: route.paymentOf?.(call) ?? '',
      on: route.kind,
    });
  }

  /**
   * Answers or holds a call under a fault that prevents its effect. Returns false when the effect must
   * happen.
   */
  async #isAnsweredBefore(fault: StripeFaultMode, reply: FastifyReply): Promise<boolean> {
    switch (fault) {
      case 'timeout':
        this.#stripe.holds.hold(reply);
        return true;
      case 'unavailable':
        void reply.code(503).send(UNAVAILABLE);
        return true;
      case 'rateLimited':
        throw new StripeError(
          429,
          {
            type: 'invalid_request_error',
            code: 'rate_limit',
            message:
              'Request rate limit exceeded. Learn more about rate limits here https://docs.stripe.com/rate-limits.',
          },
          { headers: { 'retry-after': '2' } },
        );
      case 'conflict':
        throw inProgress();
      case 'html':
        void reply.code(502).type('text/html').send(BAD_GATEWAY);
        return true;
      case 'slow':
        await pause(SLOW_MS, undefined, { ref: false });
        return false;
      case 'noAnswer':
      case 'lostResponse':
      case 'halfBody':
      case 'notJson':
      case 'error':
      case 'errorAfter':
        return false;
    }
  }

  /** Sends the answer, or the part of it that the fault leaves. */
  async #afterEffect(
    fault: StripeFaultMode | null,
    how: NonNullable<Result['answer']>,
    answered: Answered,
    reply: FastifyReply,
  ): Promise<void> {
    if (fault === 'notJson') return send(reply, { status: 200, body: '{"id": "pi_' });
    const isWhole = how === 'now' && !BROKEN_ANSWERS.has(fault);
    if (isWhole) return send(reply, answered);
    await this.#stripe.flushed();
    if (how === 'never' || fault === 'noAnswer') this.#stripe.holds.hold(reply);
    else if (fault === 'halfBody') sendHalf(reply, answered);
    else destroySocket(reply);
  }

  #isCardProxy(request: FastifyRequest): boolean {
    const { proxyKey } = this.#stripe;
    return proxyKey !== null && request.headers['x-card-proxy-key'] === proxyKey;
  }
}

/** A refusal whose answer never arrives. */
export class LostAnswer extends Error {
  readonly error: StripeError;

  constructor(error: StripeError) {
    super('answer lost');
    this.error = error;
  }
}

const toJson = (object: object): string => JSON.stringify(object, null, 2);

const asAnswer = ({ status, error, headers }: StripeError): Answered => ({
  status,
  body: toJson({ error }),
  headers,
});

function serverError(): Answered {
  const message = 'An unknown error occurred.';
  return { status: 500, body: toJson({ error: { type: 'api_error', message } }) };
}

function send(reply: FastifyReply, { status, body, headers = {} }: Answered): void {
  void reply.code(status).headers(headers).type('application/json').send(body);
}

/** Announces a whole body, sends half of it and cuts the connection. */
function sendHalf(reply: FastifyReply, { status, body }: Answered): void {
  reply.hijack();
  reply.raw.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  reply.raw.write(body.slice(0, body.length / 2), () => reply.raw.destroy());
}
