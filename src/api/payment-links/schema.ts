import * as z from 'zod';
import { type PaymentLink as Link, maxLinkPayments } from '../../domain/payment-link.ts';
import { environments, paymentMethods } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { listParameters } from '../http/request-schema.ts';
import { cents, dateTime, nullableText, uri, uuid } from '../http/schema.ts';
import { LineItem, maxLineItems } from '../payments/line-items.ts';

/** A payment link as the API returns it. docs/payment-links.md. */
export const PaymentLink = z
  .strictObject({
    id: uuid(),
    url: uri().meta({ description: 'Send it to your customers.' }),
    active: z.boolean(),
    amountCents: cents(500),
    currency: z.literal('USD'),
    reference: text(1, 255),
    description: nullableText(1, 500),
    lineItems: z.array(LineItem).max(maxLineItems).meta({ description: 'Empty when none were sent.' }),
    methods: z
      .array(z.enum(paymentMethods))
      .nullable()
      .meta({ description: 'Null: all that are configured.' }),
    successUrl: uri(),
    cancelUrl: uri(),
    maxPayments: z.int().min(1).max(maxLinkPayments).nullable(),
    paymentCount: z.int().min(0).meta({ description: 'Those that are paid or may still be paid.' }),
    expiresAt: dateTime().nullable(),
    environment: z.enum(environments),
    createdAt: dateTime(),
    updatedAt: dateTime(),
  })
  .meta({
    id: 'PaymentLink',
    description: 'An address under which each customer gets a payment.',
  });

export type PaymentLink = z.infer<typeof PaymentLink>;

/** Query of GET /v1/payment-links. */
export const ListPaymentLinksQuery = z.strictObject(listParameters);

/** Returns a link as the API returns it. */
export const linkView = (link: Link, publicUrl: string): PaymentLink => ({
  id: link.id,
  url: `${publicUrl}/l/${link.slug}`,
  active: link.active,
  amountCents: link.amountCents,
  currency: 'USD',
  reference: link.reference,
  description: link.description,
  lineItems: link.lineItems ?? [],
  methods: link.methods,
  successUrl: link.successUrl,
  cancelUrl: link.cancelUrl,
  maxPayments: link.maxPayments,
  paymentCount: link.paymentCount,
  expiresAt: link.expiresAt?.toISOString() ?? null,
  environment: link.environment,
  createdAt: link.createdAt.toISOString(),
  updatedAt: link.updatedAt.toISOString(),
});
