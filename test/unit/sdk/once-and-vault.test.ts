import {
  APIConnectionError,
  APIError,
  ConflictError,
  ValidationError,
} from '../../../sdk/typescript/src/index.ts';
import { clientOf, cut, data, payment, paymentId } from './fake-service.ts';

const params = {
  amountCents: 2500,
  currency: 'USD',
  reference: 'order-1001',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/cart',
  metadata: { cart: 'c-77' },
} as const;

/** Returns a service that stores what is created, and loses idempotency keys. */
function forgetful() {
  const kept: Record<string, unknown>[] = [];
  const { cp, sent } = clientOf(({ method, path, body, query }) => {
    if (method === 'POST') {
      const created = { ...payment('pending'), ...body, id: `id-${kept.length + 1}` };
      kept.push(created);
      return data(created);
    }
    const rows = kept.filter(
      ({ reference }) => !path.includes('search') || reference === query.get('reference'),
    );
    const meta = path.includes('search')
      ? { nextCursor: null }
      : { page: 1, perPage: 100, total: rows.length };
    return Response.json({ data: rows, meta });
  });
  return { cp, sent, kept };
}

describe('createOnce', () => {
  it('finds the same payment again when the service has forgotten the key', async () => {
    const { cp, sent, kept } = forgetful();
    const first = await cp.payments.createOnce('order-1001', params);
    const again = await cp.payments.createOnce('order-1001', params);
    expect([again.id, kept.length]).toEqual([first.id, 1]);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
    expect(sent[1]?.headers.get('idempotency-key')).toMatch(/^once-[0-9a-f]{64}$/);
    expect(sent[1]?.body?.['metadata']).toMatchObject({ cart: 'c-77' });
  });

  it('has the answer that its payment came in', async () => {
    const { cp } = forgetful();
    const made = await cp.payments.createOnce('order-1001', params).withResponse();
    const found = await cp.payments.createOnce('order-1001', params).withResponse();
    expect([made.data.id, made.requestId, found.data.id, found.status]).toEqual([
      'id-1',
      'req_1',
      'id-1',
      200,
    ]);
  });

  it('makes another payment for another key, also of the same reference', async () => {
    const { cp, kept } = forgetful();
    const ids = [
      await cp.payments.createOnce('order-1001', params),
      await cp.payments.createOnce('order-1001 again', params),
    ].map(({ id }) => id);
    expect([new Set(ids).size, kept.length]).toEqual([2, 2]);
  });

  it('derives its key from the order key alone, so that every process has the same', async () => {
    const { cp, sent } = forgetful();
    await cp.payments.createOnce('order-1001', params);
    // The SHA-256 of "order-1001"; other SDKs derive the same.
    expect(sent[1]?.headers.get('idempotency-key')).toBe(
      'once-50ac93f41009bb5828fbeb9b39ca5129a5888ba493196a343d69c38b2df5a412',
    );
  });

  it('refuses another amount under the same key', async () => {
    const { cp, kept } = forgetful();
    await cp.payments.createOnce('order-1001', params);
    const other = cp.payments.createOnce('order-1001', { ...params, amountCents: 2600 });
    await expect(other).rejects.toBeInstanceOf(ConflictError);
    expect(kept).toHaveLength(1);
  });

  it('makes a refund once', async () => {
    const { cp, kept } = forgetful();
    const first = await cp.refunds.createOnce('refund-1', paymentId, { amountCents: 1000 });
    const again = await cp.refunds.createOnce('refund-1', paymentId, { amountCents: 1000 });
    expect([again.id, kept.length]).toEqual([first.id, 1]);
    const other = cp.refunds.createOnce('refund-1', paymentId, { amountCents: 500 });
    await expect(other).rejects.toBeInstanceOf(ConflictError);
  });

  it('needs a key', async () => {
    const { cp, sent } = forgetful();
    await expect(cp.payments.createOnce('', params)).rejects.toBeInstanceOf(ValidationError);
    expect(sent).toEqual([]);
  });
});

const secret = 'cs_4nQ8vB1xT6yR3wZ0';
const access = {
  paymentId,
  amountCents: 2500,
  currency: 'USD',
  reference: 'order-1001',
  status: 'open',
  expiresAt: '2026-03-01T12:30:00.000Z',
  attemptsLeft: 5,
  environment: 'sandbox',
  pciConfig: {
    provider: 'cardVault',
    captureUrl: 'https://vault.example/capture',
    vaultId: 'cap_8Jd02mKq',
    allowedOrigin: 'https://shop.example',
  },
  capture: {
    url: 'https://vault.example/capture',
    secret,
    reference: 'cap_8Jd02mKq',
    expiresAt: '2026-03-01T12:10:00.000Z',
  },
} as const;
const visa = { number: '4242 4242 4242 4242', cvv: '123', expiryMonth: 7, expiryYear: 2040 };

describe('vault.capture', () => {
  it('sends the card to the vault only, with the secret and without the key', async () => {
    const seen: unknown[] = [];
    const { cp, sent } = clientOf(
      () => Response.json({ token: 'tok_5f0c2b7e9a41d83c', reference: 'cap_8Jd02mKq' }),
      {
        onRequest: (event) => seen.push(event),
        onResponse: (event) => seen.push(event),
      },
    );
    expect(await cp.vault.capture(access, visa)).toEqual({
      cardToken: 'tok_5f0c2b7e9a41d83c',
      captureReference: 'cap_8Jd02mKq',
    });
    expect(sent[0]?.body).toEqual({
      card_number: '4242424242424242',
      card_cvv: '123',
      card_expiry_month: '07',
      card_expiry_year: '40',
    });
    expect(sent[0]?.headers.get('x-cardvault-capture-secret')).toBe(secret);
    expect(sent[0]?.headers.has('authorization')).toBe(false);
    expect(JSON.stringify(seen)).not.toMatch(/4242|cs_4n|tok_/);
  });

  it('names the header of the other vault', async () => {
    const { cp, sent } = clientOf(() => Response.json({ token: 't', reference: 'cap_8Jd02mKq' }));
    await cp.vault.capture({ ...access, pciConfig: { ...access.pciConfig, provider: 'pciVault' } }, visa);
    expect(sent[0]?.headers.get('x-pcivault-capture-secret')).toBe(secret);
  });

  it('refuses a token of another capture', async () => {
    const { cp } = clientOf(() => Response.json({ token: 't', reference: 'other' }));
    await expect(cp.vault.capture(access, visa)).rejects.toMatchObject({
      code: 'capture_reference_mismatch',
    });
  });

  it.each<[string, () => Response, new (...args: never[]) => Error]>([
    ['no answer', cut, APIConnectionError],
    ['no token', () => Response.json({}), APIConnectionError],
    ['a page', () => new Response('<html>'), APIConnectionError],
    [
      'a refusal',
      () =>
        Response.json(
          { error: { code: 'x', message: `4242424242424242 ${secret}`, field: 'card_number' } },
          { status: 400 },
        ),
      ValidationError,
    ],
    ['a redirect', () => new Response(null, { status: 302 }), APIError],
    ['a fault', () => new Response('', { status: 500 }), APIError],
  ])('gives a typed error after %s, once, without card and secret', async (_what, respond, kind) => {
    const { cp, sent } = clientOf(respond);
    const error: unknown = await cp.vault.capture(access, visa).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    const { message, stack, cause } = error as Error;
    expect(JSON.stringify([error, message, stack, cause])).not.toMatch(/4242424242424242|cs_4n/);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['number', { ...visa, number: '4242' }],
    ['cvv', { ...visa, cvv: '12' }],
    ['expiryMonth', { ...visa, expiryMonth: 13 }],
    ['expiryYear', { ...visa, expiryYear: '203' }],
  ])('sends nothing with a wrong %s', async (field, fields) => {
    const { cp, sent } = clientOf(cut);
    await expect(cp.vault.capture(access, fields)).rejects.toMatchObject({ field });
    expect(sent).toEqual([]);
  });

  it('needs the answer of prepareCapture', async () => {
    const { capture: _none, ...checkout } = access;
    await expect(clientOf(cut).cp.vault.capture(checkout, visa)).rejects.toMatchObject({ field: 'access' });
  });
});
