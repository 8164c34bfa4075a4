import * as z from 'zod';
import type { PaymentView } from '../../../../src/domain/payment.ts';
import { ConfirmBody } from '../../../../src/api/payments/confirm-body.ts';
import { CreatePaymentBody } from '../../../../src/api/payments/create-body.ts';
import { PayBody } from '../../../../src/api/payments/pay-body.ts';
import { AttemptResult, CheckoutObject, StatusObject } from '../../../../src/api/payments/checkout-schema.ts';
import { dataOf, ListMeta, listOf } from '../../../../src/api/http/schema.ts';
import { ErrorBody } from '../../../../src/api/http/error-schema.ts';
import { CreationResult, Payment } from '../../../../src/api/payments/schema.ts';
import { IdempotencyKeyHeaders, ListPaymentsQuery } from '../../../../src/api/payments/request-schema.ts';

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

  it('LIMIT-01 to -07: the bounds of a create are documented', () => {
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
        locale: { enum: ['en', 'es', 'pt'], default: 'en' },
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

  it('LIMIT-15, LIMIT-17, LIMIT-21, LIMIT-22: the bounds of pay and of lists are documented', () => {
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
  });
});

describe('a Payment', () => {
  it('PMT-31: every key must be present', () => {
    expect(Object.keys(payment)).toHaveLength(22);
    for (const missing of Object.keys(payment)) {
      const rest = Object.fromEntries(Object.entries(payment).filter(([key]) => key !== missing));
      expect(Payment.safeParse(rest).success).toBe(false);
    }
  });

  it.each([
    ['PMT-11: documentNumber in customer', { customer: { email: null, name: null, documentNumber: '1' } }],
    ['an unknown key', { foo: 1 }],
    ['PMT-04: an unknown status', { status: 'expired' }],
    ['PMT-06: 499 cents', { amountCents: 499 }],
    ['PMT-07: negative refunds', { refundedCents: -1 }],
    ['PMT-08: a net above the limit', { netCents: 100_000_001 }],
    ['PMT-09: another currency', { currency: 'EUR' }],
    ['PMT-12: metadata that is no object', { metadata: [] }],
    ['URL-10: a URL of 2049 characters', { checkoutUrl: 'https://pay.example/'.padEnd(2049, 'x') }],
    ['PMT-15: a BIN of 5 digits', { cardBin: '42424' }],
    [
      'PMT-18: an issuer with a boolean',
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
      'PMT-19: an issuer with 129 characters',
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
    ['PMT-17: an issuer without a key', { cardIssuer: { bank: null } }],
    ['PMT-21: last four as a number', { cardLast4: 4242 }],
    ['PMT-21: three digits', { cardLast4: '042' }],
    ['PMT-23: an empty failure code', { failureCode: '' }],
    ['AMB-41: an instant without milliseconds', { createdAt: '2026-03-01T12:00:00Z' }],
    ['AMB-41: an instant with an offset', { createdAt: '2026-03-01T12:00:00.000+01:00' }],
    ['PMT-02: an id that is no UUID', { id: 'pay_1' }],
  ])('%s does not leave the service', (_title, change) => {
    expect(Payment.safeParse({ ...payment, ...change }).success).toBe(false);
  });

  it('PMT-12, AMB-26: metadata is handed on as it is, also a member named __proto__', () => {
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
    ['CHECKOUT-08: six attempts', CheckoutObject, { ...checkout, attemptsLeft: 6 }],
    ['CHECKOUT-11: an unknown reason', CheckoutObject, { ...checkout, terminalReason: 'timeout' }],
    ['CHECKOUT-11: a null reason', CheckoutObject, { ...checkout, terminalReason: null }],
    ['CHECKOUT-12: a null actionUrl', CheckoutObject, { ...checkout, actionUrl: null }],
    [
      'CHECKOUT-16: a vaultId of 32 characters',
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
      'CHECKOUT-14: another provider',
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
      'CHECKOUT-21: a secret of 15 characters',
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
      'STATUS-01: no action key',
      StatusObject,
      Object.fromEntries(Object.entries(status).filter(([key]) => key !== 'action')),
    ],
    ['STATUS-03: an unknown kind', StatusObject, { ...status, action: { kind: 'x' } }],
    [
      'STATUS-04: an empty clientSecret',
      StatusObject,
      { ...status, action: { kind: 'threeDS', clientSecret: '', publishableKey: 'p' } },
    ],
    [
      'STATUS-06: wallet with a secret',
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
    ['ATTEMPT-01: an unknown status', AttemptResult, { status: 'pending', paymentId: payment.id }],
    [
      'ATTEMPT-03: an actionUrl',
      AttemptResult,
      {
        status: 'requiresAction',
        paymentId: payment.id,
        clientSecret: 's',
        publishableKey: 'p',
        actionUrl: 'https://a.example',
      },
    ],
    ['ATTEMPT-04: a message of 501 characters', AttemptResult, { ...failed, message: 'm'.repeat(501) }],
    ['ATTEMPT-04: a code of 129 characters', AttemptResult, { ...failed, failureCode: 'c'.repeat(129) }],
    ['ERR-04: another key', ErrorBody, { error: { code: 'not_found', message: 'm' }, status: 404 }],
    ['ERR-05: an unknown code', ErrorBody, { error: { code: 'internal', message: 'm' } }],
    ['ERR-02: a null field', ErrorBody, { error: { code: 'not_found', message: 'm', field: null } }],
    ['LIST-10: page 0', ListMeta, { page: 0, perPage: 20, total: 0 }],
    ['LIST-10: perPage 101', ListMeta, { page: 1, perPage: 101, total: 0 }],
    [
      'EP-03: data beside another key',
      dataOf(ListMeta),
      { data: { page: 1, perPage: 1, total: 0 }, error: null },
    ],
  ])('%s does not leave the service', (_title, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  it('STATUS-02: action is null or one of the two kinds', () => {
    const wallet = { kind: 'wallet', checkoutUrl: 'https://w.example/p', expiresAt: payment.expiresAt };
    for (const action of [
      null,
      wallet,
      { kind: 'threeDS', clientSecret: 's'.repeat(2048), publishableKey: 'p'.repeat(255) },
    ]) {
      expect(StatusObject.safeParse({ ...status, action }).success).toBe(true);
    }
  });

  it('ATTEMPT-04: the largest code and message are accepted', () => {
    expect(
      AttemptResult.safeParse({
        ...failed,
        failureCode: 'c'.repeat(128),
        message: 'm'.repeat(500),
        attemptsLeft: 0,
      }).success,
    ).toBe(true);
  });

  it('LIST-09: a list may be empty', () => {
    expect(listOf(Payment).parse({ data: [], meta: { page: 7, perPage: 20, total: 3 } }).data).toEqual([]);
  });
});
