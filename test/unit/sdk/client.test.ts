import {
  APIAbortError,
  APIConnectionError,
  APIError,
  APITimeoutError,
  AuthenticationError,
  CardPayments,
  ConfigurationError,
  ConflictError,
  GoneError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceUnavailableError,
  ValidationError,
} from '../../../sdk/typescript/src/index.ts';
import { apiKey, clientOf, cut, data, payment, paymentId, refusal } from './fake-service.ts';

const params = {
  amountCents: 2500,
  currency: 'USD',
  reference: 'order-1001',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/cart',
} as const;
const keyed = { idempotencyKey: 'order-1001-attempt-1' };

/** Returns the error of a call, and everything in it as text. */
async function thrownBy(call: PromiseLike<unknown>): Promise<{ error: unknown; text: string }> {
  try {
    await call;
  } catch (error) {
    const { message, stack, cause } = error as Error;
    return { error, text: JSON.stringify([error, message, stack, cause]) };
  }
  throw new Error('nothing was thrown');
}

describe('the settings of a client', () => {
  it.each([
    ['a path', 'https://pay.example/api'],
    ['a version', 'https://pay.example/v1'],
    ['no scheme', 'pay.example'],
    ['no scheme but a port', 'localhost:3000'],
    ['another scheme', 'ftp://pay.example'],
    ['a query', 'https://pay.example?x=1'],
    ['a user name', 'https://user:secret@pay.example'],
    ['nothing in it', ''],
  ])('refuse a base URL with %s, and name no part of it', (_what, baseUrl) => {
    const make = (): CardPayments => new CardPayments({ apiKey, baseUrl });
    expect(make).toThrow(ConfigurationError);
    expect(make).not.toThrow(/secret/);
  });

  it('take a base URL with a slash', async () => {
    const { cp, sent } = clientOf(() => data(payment('paid')), { baseUrl: 'https://pay.example/' });
    await cp.payments.retrieve(paymentId);
    expect(sent[0]?.path).toBe(`/v1/payments/${paymentId}`);
  });

  it('refuse a key that cannot be sent in a header, without showing it', () => {
    const make = (): CardPayments =>
      new CardPayments({ apiKey: 'cps_live_sec\nret', baseUrl: 'https://a.b' });
    expect(make).toThrow(ConfigurationError);
    expect(make).not.toThrow(/sec|ret/);
  });

  it('come from the environment where they are not given', async () => {
    const { CARD_PAYMENTS_API_KEY, CARD_PAYMENTS_URL } = process.env;
    try {
      delete process.env['CARD_PAYMENTS_API_KEY'];
      delete process.env['CARD_PAYMENTS_URL'];
      expect(() => new CardPayments()).toThrow(/CARD_PAYMENTS_API_KEY/);
      Object.assign(process.env, { CARD_PAYMENTS_API_KEY: apiKey, CARD_PAYMENTS_URL: 'https://env.example' });
      const urls: string[] = [];
      const cp = new CardPayments({
        fetch: async (url) => {
          urls.push(url);
          return data({});
        },
      });
      await cp.branding.retrieve();
      expect(urls).toEqual(['https://env.example/v1/branding']);
    } finally {
      Object.assign(process.env, { CARD_PAYMENTS_API_KEY, CARD_PAYMENTS_URL });
      if (CARD_PAYMENTS_API_KEY === undefined) delete process.env['CARD_PAYMENTS_API_KEY'];
      if (CARD_PAYMENTS_URL === undefined) delete process.env['CARD_PAYMENTS_URL'];
    }
  });
});

describe('a refusal', () => {
  it.each<[number, string, typeof APIError]>([
    [400, 'invalid_request', ValidationError],
    [401, 'unauthorized', AuthenticationError],
    [403, 'insufficient_scope', PermissionError],
    [404, 'not_found', NotFoundError],
    [409, 'payment_in_progress', ConflictError],
    [410, 'checkout_expired', GoneError],
    [422, 'validation_failed', ValidationError],
    [429, 'rate_limited', RateLimitError],
    [503, 'service_unavailable', ServiceUnavailableError],
    [418, 'new_code', APIError],
  ])('of status %s is an error of its class, with what to do', async (status, code, kind) => {
    const headers = { recovery: 'fix_request', 'retry-after': '7' };
    const { cp } = clientOf(() => refusal(status, code, headers, 'reference'), { maxRetries: 0 });
    const { error } = await thrownBy(cp.payments.create(params, keyed));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      ...{ name: kind.name, status, code, field: 'reference' },
      ...{ recovery: 'fix_request', requestId: 'req_1', retryAfterSeconds: 7 },
    });
  });

  it('of a key says which environment the key is of, and not the key', async () => {
    const { cp } = clientOf(() => refusal(404, 'not_found'));
    const { error, text } = await thrownBy(cp.payments.retrieve(paymentId));
    expect((error as Error).message).toContain('this key is of sandbox');
    expect(text).not.toContain(apiKey);
  });
});

describe('an answer that does not come from the service', () => {
  it.each<[string, () => Response, new (...args: never[]) => Error]>([
    ['that is not JSON', () => new Response('<html>'), APIConnectionError],
    ['that is other JSON', () => Response.json({ ok: true }), APIConnectionError],
    ['that is a 502 in HTML', () => new Response('<html>', { status: 502 }), ServiceUnavailableError],
    [
      'that is a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
      APIError,
    ],
    ['of 100 MB', () => new Response(endless(100)), APIConnectionError],
    ['that is cut off', () => new Response(brokenStream()), APIConnectionError],
  ])('%s is a typed error', async (_what, respond, kind) => {
    const { cp, sent } = clientOf(respond, { maxRetries: 0 });
    const { error, text } = await thrownBy(cp.payments.retrieve(paymentId));
    expect(error).toBeInstanceOf(kind);
    expect(text).not.toContain(apiKey);
    expect(sent).toHaveLength(1);
  });

  it('is read no further than an answer of the service could be', async () => {
    let mebibytes = 0;
    const { cp } = clientOf(() => new Response(endless(100, () => (mebibytes += 1))), { maxRetries: 0 });
    await thrownBy(cp.payments.retrieve(paymentId));
    expect(mebibytes).toBeLessThan(30);
  });
});

/** Returns a body of this many mebibytes. */
function endless(mebibytes: number, onChunk: () => void = () => undefined): ReadableStream<Uint8Array> {
  let left = mebibytes;
  return new ReadableStream({
    pull(controller) {
      onChunk();
      left -= 1;
      if (left < 0) controller.close();
      else controller.enqueue(new Uint8Array(2 ** 20));
    },
  });
}

/** Returns half an answer. */
function brokenStream(): ReadableStream<Uint8Array> {
  let isFirst = true;
  return new ReadableStream({
    pull(controller) {
      if (isFirst) controller.enqueue(new TextEncoder().encode('{"data":{"id":'));
      else controller.error(new Error('socket hang up'));
      isFirst = false;
    },
  });
}

describe('a request', () => {
  it.each(['a/b', '..', '', `${paymentId}/pay`, 'x?y=1', 'é', '%2e%2e'])(
    'is not sent for the id %j',
    async (id) => {
      const { cp, sent } = clientOf(() => data({}));
      const { error } = await thrownBy(cp.payments.retrieve(id));
      expect(error).toBeInstanceOf(ValidationError);
      expect(error).toMatchObject({ field: 'id' });
      expect(sent).toEqual([]);
    },
  );

  it('that takes no key is sent once, whatever happens', async () => {
    for (const respond of [cut, () => refusal(503, 'service_unavailable')]) {
      const { cp, sent } = clientOf(respond);
      await thrownBy(cp.payments.pay(paymentId, { cardToken: 't'.repeat(16), captureReference: 'c' }));
      expect(sent).toHaveLength(1);
    }
  });

  it('that is safe is tried three times in all, with the same key', async () => {
    const { cp, sent } = clientOf(cut);
    const { error, text } = await thrownBy(cp.payments.create(params, keyed));
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(text).not.toContain(apiKey);
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      ...[keyed.idempotencyKey, keyed.idempotencyKey, keyed.idempotencyKey],
    ]);
  });

  it('is repeated after 429, whatever it is, and after Retry-After', async () => {
    const { cp, sent } = clientOf((_request, number) =>
      number === 1
        ? refusal(429, 'rate_limited', { 'retry-after': '0' })
        : data({ status: 'paid', paymentId }),
    );
    await cp.payments.pay(paymentId, { cardToken: 't'.repeat(16), captureReference: 'c' });
    expect(sent).toHaveLength(2);
  });

  it('is not kept waiting for a long Retry-After', async () => {
    const { cp, sent } = clientOf(() => refusal(429, 'rate_limited', { 'retry-after': '3600' }));
    const { error } = await thrownBy(cp.payments.retrieve(paymentId));
    expect(error).toMatchObject({ retryAfterSeconds: 3600 });
    expect(sent).toHaveLength(1);
  });

  it('ends after its time, also where fetch ignores the signal', async () => {
    const { cp } = clientOf(() => new Promise<Response>(() => undefined), { timeoutMs: 50, maxRetries: 0 });
    expect((await thrownBy(cp.payments.retrieve(paymentId))).error).toBeInstanceOf(APITimeoutError);
  });

  it('that reads a status waits no longer than it was asked to', async () => {
    const { cp } = clientOf(() => new Promise<Response>(() => undefined), { maxRetries: 0 });
    const read = cp.payments.status(paymentId, {}, { timeoutMs: 50 });
    expect((await thrownBy(read)).error).toBeInstanceOf(APITimeoutError);
  });

  it('ends with the signal of its caller, and is not repeated', async () => {
    const controller = new AbortController();
    const { cp, sent } = clientOf(() => {
      controller.abort();
      return new Promise<Response>(() => undefined);
    });
    const call = cp.payments.retrieve(paymentId, {}, { signal: controller.signal });
    expect((await thrownBy(call)).error).toBeInstanceOf(APIAbortError);
    const before = cp.payments.retrieve(paymentId, {}, { signal: AbortSignal.abort() });
    expect((await thrownBy(before)).error).toBeInstanceOf(APIAbortError);
    expect(sent).toHaveLength(1);
  });

  it('may be made a thousand times at once', async () => {
    const { cp, sent } = clientOf(() => data(payment('paid')));
    const all = await Promise.all(Array.from({ length: 1_000 }, () => cp.payments.retrieve(paymentId)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['paid']));
    expect(sent).toHaveLength(1_000);
  });
});

describe('an answer', () => {
  it('has its status, headers and request id too', async () => {
    const { cp } = clientOf(() => data(payment('paid'), { 'idempotent-replayed': 'true' }));
    const { data: read, status, headers, requestId } = await cp.payments.retrieve(paymentId).withResponse();
    expect([read.status, status, headers.get('idempotent-replayed'), requestId]).toEqual([
      ...['paid', 200, 'true', 'req_1'],
    ]);
  });

  it('fails once, with whichever method it is awaited', async () => {
    const { cp } = clientOf(() => refusal(404, 'not_found'));
    await expect(cp.payments.retrieve(paymentId).withResponse()).rejects.toBeInstanceOf(NotFoundError);
    await expect(cp.payments.retrieve(paymentId).catch((error: unknown) => error)).resolves.toBeInstanceOf(
      NotFoundError,
    );
    const seen: string[] = [];
    const finished = cp.payments.retrieve(paymentId).finally(() => seen.push('finally'));
    await expect(finished).rejects.toBeInstanceOf(NotFoundError);
    expect(seen).toEqual(['finally']);
  });
});

describe('a list', () => {
  it('is a page, and every row of it with for await', async () => {
    const { cp, sent } = clientOf(({ query }) => {
      const page = Number(query.get('page') ?? '1');
      const rows = [payment('paid', { id: `${page}` })];
      return Response.json({ data: rows, meta: { page, perPage: 1, total: 3 } });
    });
    const page = await cp.payments.list({ status: 'paid', perPage: 1 });
    expect([page.data.length, page.meta.total, page.hasNextPage]).toEqual([1, 3, true]);
    const ids: string[] = [];
    for await (const { id } of cp.payments.list({ status: 'paid', perPage: 1 })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3']);
    // The filters hold for every page.
    expect(new Set(sent.map(({ query }) => query.get('status')))).toEqual(new Set(['paid']));
  });

  it('by cursor ends with the last cursor', async () => {
    const { cp } = clientOf(({ query }) => {
      const nextCursor = query.get('cursor') === null ? 'c1' : null;
      return Response.json({ data: [payment('paid')], meta: { nextCursor } });
    });
    let rows = 0;
    for await (const found of cp.payments.search({ reference: 'order-1001' }))
      rows += found.amountCents / 2500;
    expect(rows).toBe(2);
    const { status, data: first } = await cp.payments.search({ reference: 'order-1001' }).withResponse();
    expect([status, first.data.length]).toEqual([200, 1]);
  });
});

describe('hooks', () => {
  it('receive the call and its answer, but no body, header, query, secret or card', async () => {
    const seen: unknown[] = [];
    const { cp } = clientOf((_request, number) => (number === 1 ? cut() : data(payment('paid'))), {
      onRequest: (event) => seen.push(event),
      onResponse: (event) => seen.push(event),
    });
    await cp.payments.retrieve(paymentId);
    await cp.payments.create({ ...params, metadata: { note: '4242424242424242' } }, keyed);
    await thrownBy(cp.payments.retrieve('4242424242424242').then(() => cp.payments.retrieve('4242/')));
    await cp.payments.search({ email: 'ada@example.com' }).catch(() => undefined);
    expect(seen.slice(0, 4)).toMatchObject([
      { method: 'GET', path: '/v1/payments/{id}', id: paymentId, attempt: 1 },
      { status: null, requestId: null, attempt: 1 },
      { attempt: 2 },
      { status: 200, requestId: 'req_1', attempt: 2 },
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/4242|ada@|cps_|order-1001/);
  });

  it('cannot fail a call', async () => {
    const fail = (): never => {
      throw new Error('a fault of the log');
    };
    const { cp } = clientOf(() => data(payment('paid')), { onRequest: fail, onResponse: fail });
    expect((await cp.payments.retrieve(paymentId)).status).toBe('paid');
  });
});
