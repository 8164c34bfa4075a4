import * as z from 'zod';
import { listParameters } from '../http/request-schema.ts';
import { environments, paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import { isJsonObject } from '../http/metadata.ts';
import { cents, dateTime, examplePaymentId, nullableText, uri, uuid } from '../http/schema.ts';
import { text } from '../http/fields.ts';
import { LineItem, maxLineItems } from './line-items.ts';

const CardIssuer = z
  .strictObject({
    bank: nullableText(0, 128),
    countryCode: nullableText(0, 128),
    countryName: nullableText(0, 128),
    type: nullableText(0, 128),
    level: nullableText(0, 128),
    category: nullableText(0, 128),
    regulated: nullableText(0, 128),
  })
  .meta({
    id: 'CardIssuer',
    description: "Facts about the card's issuer; each is null when unknown.",
    examples: [
      {
        bank: 'Example Bank',
        countryCode: 'US',
        countryName: 'United States',
        type: 'credit',
        level: 'classic',
        category: 'consumer',
        regulated: null,
      },
    ],
  });

const Customer = z.strictObject({
  email: z.string().max(320).meta({ format: 'email' }).nullable(),
  name: nullableText(0, 255),
});

// Checked in the request and returned unchanged. An object schema would drop a member named `__proto__`.
const storedMetadata = z.unknown().refine(isJsonObject).meta({ type: 'object', additionalProperties: true });

/**
 * A payment as merchants read it. The specification's keys are always present (PMT-31), `environment` too
 * (AMB-40). Spec: Resources > Payment.
 */
export const Payment = z
  .strictObject({
    id: uuid(),
    reference: text(1, 255),
    status: z.enum(paymentStatuses),
    method: z.enum(paymentMethods).nullable(),
    amountCents: cents(500),
    refundedCents: cents(0),
    netCents: cents(0).meta({
      description: 'What you keep of the payment: 0 before it is paid, then its amount without refunds.',
    }),
    currency: z.literal('USD'),
    customer: Customer,
    metadata: storedMetadata,
    checkoutUrl: uri()
      .meta({ description: "For the customer's browser only; null once the checkout can no longer be used." })
      .nullable(),
    expiresAt: dateTime().meta({ description: 'The checkout deadline.' }),
    cardBin: z
      .string()
      .regex(/^[0-9]{6,8}$/)
      .nullable(),
    cardIssuer: CardIssuer.nullable(),
    cardBrand: z.string().nullable(),
    cardLast4: z
      .string()
      .regex(/^[0-9]{4}$/)
      .nullable(),
    failureCode: nullableText(1, 128).meta({
      description: 'Set when the status is `failed`; new values may appear.',
    }),
    failureMessage: nullableText(1, 500),
    createdAt: dateTime(),
    paidAt: dateTime().nullable(),
    refundedAt: dateTime().nullable(),
    environment: z.enum(environments),
    description: text(1, 500).optional().meta({ description: 'Only where it was sent.' }),
    lineItems: z
      .array(LineItem)
      .max(maxLineItems)
      .optional()
      .meta({ description: 'Only where they were sent.' }),
    locale: z
      .literal('auto')
      .optional()
      .meta({ description: "Only where the page follows the language of the customer's browser." }),
    restored: z.literal(true).optional().meta({
      description:
        'Only where the service lost the payment and wrote it back: customer, metadata and description may be missing.',
    }),
  })
  .meta({
    id: 'Payment',
    description:
      'A payment as stored. Fulfill an order only on status `paid`, read with the key of its environment.',
    examples: [
      {
        id: examplePaymentId,
        reference: 'order-1001',
        status: 'paid',
        method: 'card',
        amountCents: 2500,
        refundedCents: 0,
        netCents: 2500,
        currency: 'USD',
        customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
        metadata: { cart: 'c-77' },
        checkoutUrl: null,
        expiresAt: '2026-03-01T12:30:00.000Z',
        cardBin: '42424242',
        cardIssuer: null,
        cardBrand: 'visa',
        cardLast4: '4242',
        failureCode: null,
        failureMessage: null,
        createdAt: '2026-03-01T12:00:00.000Z',
        paidAt: '2026-03-01T12:04:31.000Z',
        refundedAt: null,
        environment: 'sandbox',
        description: 'Spring delivery',
        lineItems: [{ name: 'Coffee beans, 250 g', quantity: 2, amountCents: 2500 }],
        locale: 'auto',
      },
    ],
  });
export type Payment = z.infer<typeof Payment>;

/** The result of a creation, the same in every replay. Spec: Resources > Creation result. */
export const CreationResult = z
  .strictObject({
    id: uuid(),
    status: z.literal('pending'),
    checkoutUrl: uri().meta({
      description: "Redirect the customer's browser here, exactly as returned; a secret.",
    }),
    expiresAt: dateTime(),
    environment: z.enum(environments),
  })
  .meta({
    id: 'CreationResult',
    description: 'The payment that was created.',
    examples: [
      {
        id: examplePaymentId,
        status: 'pending',
        checkoutUrl: 'https://pay.example/c/3v0yJxq2p7mT4sKd',
        expiresAt: '2026-03-01T12:30:00.000Z',
        environment: 'sandbox',
      },
    ],
  });
export type CreationResult = z.infer<typeof CreationResult>;

/** Spec: GET /v1/payments. */
export const ListPaymentsQuery = z.strictObject({
  status: z.enum(paymentStatuses).optional(),
  ...listParameters,
});
