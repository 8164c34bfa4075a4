import * as z from 'zod';
import type { PaymentView } from '../../../../src/domain/payment.ts';
import { ConfirmBody } from '../../../../src/api/payments/confirm.ts';
import { CreatePaymentBody } from '../../../../src/api/payments/create.ts';
import { PayBody } from '../../../../src/api/payments/pay.ts';
import { AttemptResult, CheckoutObject, StatusObject } from '../../../../src/api/payments/checkout-schema.ts';
import { dataOf, ListMeta, listOf } from '../../../../src/api/http/schema.ts';
import { ErrorBody } from '../../../../src/api/http/error-schema.ts';
import { CreationResult, Payment, ListPaymentsQuery } from '../../../../src/api/payments/schema.ts';
import { IdempotencyKeyHeaders } from '../../../../src/api/http/request-schema.ts';
import { proves } from '../../../support/proves.ts';

const documented = {
  CreatePaymentBody,
  PayBody,
  ConfirmBody,
  Payment,
  CreationResult,
  CheckoutObject,
  StatusObject,
  AttemptResult,
  ErrorBody,
  ListMeta,
};

const example = (schema: z.ZodType): Record<string, unknown> => {
  const [first] = z.array(z.record(z.string(), z.unknown())).parse(schema.meta()?.examples);
  return first ?? {};
};

const payment: PaymentView = Payment.parse(example(Payment));

describe('documented schemas', () => {
  it.each(Object.entries(documented))(
    '%s has a name, a description and examples that it accepts',
    (_name, schema) => {
      const { id, description, examples } = schema.meta() ?? {};
      expect(id).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(description).toMatch(/\.$/);
      expect(examples).not.toHaveLength(0);
      for (const one of z.array(z.unknown()).parse(examples))
        expect(schema.safeParse(one).error).toBeUndefined();
    },
  );

  it.each(
    Object.entries({
      ...documented,
      IdempotencyKeyHeaders,
      ListPaymentsQuery,
      list: listOf(Payment),
      data: dataOf(Payment),
    }),
  )('%s can be written as JSON Schema, for requests and for answers', (_name, schema) => {
    for (const io of ['input', 'output'] as const) {
      expect(z.toJSONSchema(schema, { io })).toEqual(expect.objectContaining({}));
    }
  });

  it('names are used once', () => {
    const ids = Object.values(documented).map((schema) => schema.meta()?.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it(proves('the bounds of a create are documented', 'LIMIT-01 to -07'), () => {
    const { $defs } = z.toJSONSchema(CreatePaymentBody, { io: 'input' });
    expect($defs?.CreatePayment).toMatchObject({
      additionalProperties: false,
      required: ['amountCents', 'currency', 'reference', 'successUrl', 'cancelUrl'],
      properties: {
        amountCents: { type: 'integer', minimum: 500, maximum: 100_000_000 },
        currency: { enum: ['USD'] },
        reference: { type: 'string', minLength: 1, maxLength: 255 },
        successUrl: { type: 'string', format: 'uri', minLength: 1, maxLength: 2048 },
        cancelUrl: { type: 'string', format: 'uri', minLength: 1, maxLength: 2048 },
        paymentMethod: { enum: ['card', 'wallet'] },
        checkoutMode: { enum: ['hosted', 'custom'], default: 'hosted' },
        embeddingOrigin: { type: 'string', minLength: 1, maxLength: 255 },
        locale: { enum: ['en', 'es', 'pt', 'auto'], default: 'en' },
        environment: { enum: ['sandbox', 'live'] },
        customer: {
          additionalProperties: false,
          properties: {
            email: { type: 'string', format: 'email', maxLength: 320 },
            name: { minLength: 1, maxLength: 255 },
            documentNumber: { type: 'string' },
            phone: { type: 'string' },
          },
        },
        metadata: { type: 'object', maxProperties: 100 },
      },
    });
  });

  it(
    proves('the bounds of pay and of lists are documented', 'LIMIT-15', 'LIMIT-17', 'LIMIT-21', 'LIMIT-22'),
    () => {
      expect(z.toJSONSchema(PayBody).$defs?.Pay).toMatchObject({
        additionalProperties: false,
        properties: {
          cardToken: { minLength: 16, maxLength: 4096 },
          captureReference: { minLength: 1, maxLength: 31 },
        },
      });
      expect(z.toJSONSchema(ListPaymentsQuery, { io: 'input' })).toMatchObject({
        properties: {
          page: { type: 'integer', minimum: 1, default: 1 },
          perPage: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          from: { format: 'date' },
        },
      });
    },
  );
});

describe('a Payment', () => {
  it(proves('every key must be present', 'PMT-31'), () => {
    const ours = ['description', 'lineItems', 'locale'];
    const specified = Object.keys(payment).filter((key) => !ours.includes(key));
    expect(specified).toHaveLength(22);
    for (const missing of specified) {
      const rest = Object.fromEntries(Object.entries(payment).filter(([key]) => key !== missing));
      expect(Payment.safeParse(rest).success).toBe(false);
    }
  });

  it.each([
    [
      proves('documentNumber in customer', 'PMT-11'),
      { customer: { email: null, name: null, documentNumber: '1' } },
    ],
    ['an unknown key', { foo: 1 }],
    [proves('an unknown status', 'PMT-04'), { status: 'expired' }],
    [proves('499 cents', 'PMT-06'), { amountCents: 499 }],
    [proves('negative refunds', 'PMT-07'), { refundedCents: -1 }],
    [proves('a net above the limit', 'PMT-08'), { netCents: 100_000_001 }],
    [proves('another currency', 'PMT-09'), { currency: 'EUR' }],
    [proves('metadata that is no object', 'PMT-12'), { metadata: [] }],
    [proves('a URL of 2049 characters', 'URL-10'), { checkoutUrl: 'https://pay.example/'.padEnd(2049, 'x') }],
    [proves('a BIN of 5 digits', 'PMT-15'), { cardBin: '42424' }],
    [
      proves('an issuer with a boolean', 'PMT-18'),
      {
        cardIssuer: {
          bank: null,
          countryCode: null,
          countryName: null,
          type: null,
          level: null,
          category: null,
          regulated: true,
        },
      },
    ],
    [
      proves('an issuer with 129 characters', 'PMT-19'),
      {
        cardIssuer: {
          bank: 'b'.repeat(129),
          countryCode: null,
          countryName: null,
          type: null,
          level: null,
          category: null,
          regulated: null,
        },
      },
    ],
    [proves('an issuer without a key', 'PMT-17'), { cardIssuer: { bank: null } }],
    [proves('last four as a number', 'PMT-21'), { cardLast4: 4242 }],
    [proves('three digits', 'PMT-21'), { cardLast4: '042' }],
    [proves('an empty failure code', 'PMT-23'), { failureCode: '' }],
    [proves('an instant without milliseconds', 'AMB-41'), { createdAt: '2026-03-01T12:00:00Z' }],
    [proves('an instant with an offset', 'AMB-41'), { createdAt: '2026-03-01T12:00:00.000+01:00' }],
    [proves('an id that is no UUID', 'PMT-02'), { id: 'pay_1' }],
  ])('is never answered with %s', (_title, change) => {
    expect(Payment.safeParse({ ...payment, ...change }).success).toBe(false);
  });

  it(proves('contains metadata unchanged, also a member named __proto__', 'PMT-12', 'AMB-26'), () => {
    const metadata: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(
      JSON.stringify(
        z.encode(Payment, { ...payment, metadata: z.record(z.string(), z.unknown()).parse({}) }).metadata,
      ),
    ).toBe('{}');
    expect(JSON.stringify(Payment.parse({ ...payment, metadata }).metadata)).toBe('{"__proto__":{"a":1}}');
  });

  it('C9: 255 code points outside the BMP fit a reference', () => {
    expect(Payment.safeParse({ ...payment, reference: '\u{1f600}'.repeat(255) }).success).toBe(true);
    expect(Payment.safeParse({ ...payment, reference: '\u{1f600}'.repeat(256) }).success).toBe(false);
  });
});

describe('checkout answers', () => {
  const checkout = example(CheckoutObject);
  const status = example(StatusObject);
  const failed = {
    status: 'failed',
    paymentId: payment.id,
    failureCode: 'card_declined',
    message: 'm',
    attemptsLeft: 4,
  };

  it.each<[string, z.ZodType, unknown]>([
    [proves('six attempts', 'CHECKOUT-08'), CheckoutObject, { ...checkout, attemptsLeft: 6 }],
    [proves('an unknown reason', 'CHECKOUT-11'), CheckoutObject, { ...checkout, terminalReason: 'timeout' }],
    [proves('a null reason', 'CHECKOUT-11'), CheckoutObject, { ...checkout, terminalReason: null }],
    [proves('a null actionUrl', 'CHECKOUT-12'), CheckoutObject, { ...checkout, actionUrl: null }],
    [
      proves('a vaultId of 32 characters', 'CHECKOUT-16'),
      CheckoutObject,
      {
        ...checkout,
        pciConfig: {
          provider: 'cardVault',
          captureUrl: 'https://v.example',
          vaultId: 'v'.repeat(32),
          allowedOrigin: 'https://s.example',
        },
      },
    ],
    [
      proves('another provider', 'CHECKOUT-14'),
      CheckoutObject,
      {
        ...checkout,
        pciConfig: {
          provider: 'x',
          captureUrl: 'https://v.example',
          vaultId: 'v',
          allowedOrigin: 'https://s.example',
        },
      },
    ],
    [
      proves('a secret of 15 characters', 'CHECKOUT-21'),
      CheckoutObject,
      {
        ...checkout,
        capture: {
          url: 'https://v.example',
          secret: 's'.repeat(15),
          reference: 'r',
          expiresAt: payment.expiresAt,
        },
      },
    ],
    [
      proves('no action key', 'STATUS-01'),
      StatusObject,
      Object.fromEntries(Object.entries(status).filter(([key]) => key !== 'action')),
    ],
    [proves('an unknown kind', 'STATUS-03'), StatusObject, { ...status, action: { kind: 'x' } }],
    [
      proves('an empty clientSecret', 'STATUS-04'),
      StatusObject,
      { ...status, action: { kind: 'threeDS', clientSecret: '', publishableKey: 'p' } },
    ],
    [
      proves('wallet with a secret', 'STATUS-06'),
      StatusObject,
      {
        ...status,
        action: {
          kind: 'wallet',
          checkoutUrl: 'https://w.example',
          expiresAt: payment.expiresAt,
          clientSecret: 's',
        },
      },
    ],
    [proves('an unknown status', 'ATTEMPT-01'), AttemptResult, { status: 'pending', paymentId: payment.id }],
    [
      proves('an actionUrl', 'ATTEMPT-03'),
      AttemptResult,
      {
        status: 'requiresAction',
        paymentId: payment.id,
        clientSecret: 's',
        publishableKey: 'p',
        actionUrl: 'https://a.example',
      },
    ],
    [
      proves('a message of 501 characters', 'ATTEMPT-04'),
      AttemptResult,
      { ...failed, message: 'm'.repeat(501) },
    ],
    [
      proves('a code of 129 characters', 'ATTEMPT-04'),
      AttemptResult,
      { ...failed, failureCode: 'c'.repeat(129) },
    ],
    [proves('another key', 'ERR-04'), ErrorBody, { error: { code: 'not_found', message: 'm' }, status: 404 }],
    [proves('an unknown code', 'ERR-05'), ErrorBody, { error: { code: 'internal', message: 'm' } }],
    [
      proves('a null field', 'ERR-02'),
      ErrorBody,
      { error: { code: 'not_found', message: 'm', field: null } },
    ],
    [proves('page 0', 'LIST-10'), ListMeta, { page: 0, perPage: 20, total: 0 }],
    [proves('perPage 101', 'LIST-10'), ListMeta, { page: 1, perPage: 101, total: 0 }],
    [
      proves('data beside another key', 'EP-03'),
      dataOf(ListMeta),
      { data: { page: 1, perPage: 1, total: 0 }, error: null },
    ],
  ])('is never answered with %s', (_title, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  it(proves('action is null or one of the two kinds', 'STATUS-02'), () => {
    const wallet = { kind: 'wallet', checkoutUrl: 'https://w.example/p', expiresAt: payment.expiresAt };
    for (const action of [
      null,
      wallet,
      { kind: 'threeDS', clientSecret: 's'.repeat(2048), publishableKey: 'p'.repeat(255) },
    ]) {
      expect(StatusObject.safeParse({ ...status, action }).success).toBe(true);
    }
  });

  it(proves('the largest code and message are accepted', 'ATTEMPT-04'), () => {
    expect(
      AttemptResult.safeParse({
        ...failed,
        failureCode: 'c'.repeat(128),
        message: 'm'.repeat(500),
        attemptsLeft: 0,
      }).success,
    ).toBe(true);
  });

  it(proves('a list may be empty', 'LIST-09'), () => {
    expect(listOf(Payment).parse({ data: [], meta: { page: 7, perPage: 20, total: 3 } }).data).toEqual([]);
  });
});
