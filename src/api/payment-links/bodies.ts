import * as z from 'zod';
import { maxLinkPayments } from '../../domain/payment-link.ts';
import { paymentMethods } from '../../domain/statuses.ts';
import type { UrlOptions } from '../../domain/urls.ts';
import type { CreateLinkCommand } from '../../operations/payment-links/create-link.ts';
import { expected, object, oneOf, openText, referenceText, uri } from '../http/fields.ts';
import { type InputFailure, failure, firstFault } from '../http/input.ts';
import { amountCents } from '../payments/create.ts';
import { lineItems, lineItemsFault } from '../payments/line-items.ts';

const paymentsRule = `an integer from 1 to ${maxLinkPayments}`;
const methodsRule = { error: `must be a list of one or more of ${paymentMethods.join(', ')}, each once` };

const linkSchema = (options: UrlOptions) =>
  z.strictObject(
    {
      amountCents,
      currency: oneOf(['USD']),
      reference: referenceText().meta({ description: 'Every payment of the link has it.' }),
      description: openText(1, 500)
        .optional()
        .meta({ description: 'What is paid for; the customer sees it.' }),
      lineItems: lineItems.optional(),
      methods: z
        .array(oneOf(paymentMethods), { error: expected('a list') })
        .min(1, methodsRule)
        .max(paymentMethods.length, methodsRule)
        .refine((sent) => new Set(sent).size === sent.length, methodsRule)
        .meta({
          uniqueItems: true,
          description: 'Offer only these methods; omit to offer all configured ones.',
        })
        .optional(),
      successUrl: uri(options),
      cancelUrl: uri(options),
      maxPayments: z
        .int({ error: expected(paymentsRule) })
        .min(1, { error: `must be ${paymentsRule}` })
        .max(maxLinkPayments, { error: `must be ${paymentsRule}` })
        .meta({ description: 'How often it can be paid; omit for any number.' })
        .optional(),
      expiresAt: z.iso
        .datetime({ error: expected('an instant such as 2026-03-01T12:00:00Z') })
        .meta({ description: 'Omit for never.' })
        .optional(),
    },
    object,
  );

const productionSchema = linkSchema({ allowHttpLoopback: false });
const developmentSchema = linkSchema({ allowHttpLoopback: true });

/** The documented body of POST /v1/payment-links. */
export const CreatePaymentLinkBody = productionSchema.meta({
  id: 'CreatePaymentLink',
  description: 'A payment link to create. Unknown fields are refused.',
});

/** Turns the JSON value of a request into a link to create, or names its first fault. */
export function parseCreateLink(
  body: unknown,
  options: UrlOptions,
): { ok: true; command: CreateLinkCommand } | InputFailure {
  const schema = options.allowHttpLoopback ? developmentSchema : productionSchema;
  const parsed = schema.safeParse(body);
  if (!parsed.success) return firstFault(parsed.error, schema);
  const sent = parsed.data;
  const fault = sent.lineItems === undefined ? null : lineItemsFault(sent.lineItems, sent.amountCents);
  if (fault !== null) return failure('lineItems', fault);
  const { amountCents: cents, reference, successUrl, cancelUrl } = sent;
  return {
    ok: true,
    command: {
      ...{ amountCents: cents, reference, successUrl, cancelUrl },
      description: sent.description ?? null,
      lineItems: sent.lineItems ?? null,
      methods: sent.methods ?? null,
      maxPayments: sent.maxPayments ?? null,
      expiresAt: sent.expiresAt === undefined ? null : new Date(sent.expiresAt),
    },
  };
}

/** Body of PATCH /v1/payment-links/{id}. */
export const ChangePaymentLinkBody = z
  .strictObject(
    {
      active: z
        .boolean({ error: expected('true or false') })
        .meta({ description: 'Whether the link begins payments.' }),
    },
    object,
  )
  .meta({
    id: 'ChangePaymentLink',
    description: 'A change of a payment link.',
    examples: [{ active: false }],
  });
