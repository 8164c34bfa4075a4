import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { holdsCardNumber } from '../../domain/card-number.ts';
import { checkoutModes, environments, localeChoices } from '../../domain/statuses.ts';
import { isEmail, maxEmailLength } from '../../domain/text.ts';
import { checkOrigin, httpsOriginPattern, maxOriginLength, type UrlOptions } from '../../domain/urls.ts';
import { bodyHash } from '../../operations/idempotency.ts';
import {
  type CreatePaymentCommand,
  type CreatePaymentDeps,
  createOperation,
  createPayment,
} from '../../operations/payments/create-payment.ts';
import { principalOf } from '../http/admission.ts';
import {
  expected,
  metadata,
  noCardNumber,
  oneOf,
  openText,
  referenceText,
  storableText,
  text,
  uri,
} from '../http/fields.ts';
import { type InputFailure, failure, firstFault, idempotencyKey, jsonBody, orRefuse } from '../http/input.ts';
import { lineItems, lineItemsFault } from './line-items.ts';

/** Spec: Limits > amountCents. */
const minAmountCents = 500;
const maxAmountCents = 100_000_000;

const amountRule = `an integer from ${minAmountCents} to ${maxAmountCents}`;

/** The amount of a payment in a request. */
export const amountCents = z
  .int({ error: expected(amountRule) })
  .min(minAmountCents, { error: `must be ${amountRule}` })
  .max(maxAmountCents, { error: `must be ${amountRule}` })
  .meta({ description: 'US cents.' });

const email = storableText()
  .refine(isEmail, { error: `must be an e-mail address of at most ${maxEmailLength} characters` })
  .refine((value) => !holdsCardNumber(value), noCardNumber)
  .meta({ format: 'email', maxLength: maxEmailLength });

/**
 * Far longer than any document or telephone number, and within the limits of providers. A longer text would
 * be accepted here and then refused by the provider on every attempt. AMB-54.
 */
const maxWalletText = 5_000;

/**
 * A field that is passed to wallets. A number of fewer than `shortestCard` digits is accepted, even if it
 * looks like a card number.
 */
const forTheWallet = (shortestCard: number) =>
  text(0, maxWalletText)
    .refine((value) => !holdsCardNumber(value, ({ digits }) => digits.length >= shortestCard), noCardNumber)
    .meta({ description: 'For wallet payments; never returned.' });

const customer = z.strictObject(
  {
    email: email.optional(),
    name: openText(1, 255).optional(),
    // National document numbers of 13 and 14 digits look like old card numbers.
    documentNumber: forTheWallet(15).optional(),
    // A telephone number has 15 digits at most (E.164).
    phone: forTheWallet(16).optional(),
  },
  { error: expected('an object') },
);

const embeddingOrigin = (options: UrlOptions) =>
  z
    .string({ error: expected('a website origin') })
    .superRefine((value, context) => {
      const checked = checkOrigin(value, options);
      if (!checked.ok) context.addIssue(checked.reason);
    })
    .meta({
      format: 'uri',
      minLength: 1,
      maxLength: maxOriginLength,
      pattern: httpsOriginPattern,
      description: 'The approved website that embeds the checkout: scheme, host and port.',
    });

// Faults are reported in the order of these fields (AMB-19).
const createPaymentSchema = (options: UrlOptions) =>
  z.strictObject(
    {
      amountCents,
      currency: oneOf(['USD']),
      reference: referenceText().meta({ description: 'Your order reference.' }),
      successUrl: uri(options),
      cancelUrl: uri(options),
      paymentMethod: oneOf(['card', 'wallet'])
        .meta({ description: 'Offer only this method; omit to offer all configured ones.' })
        .optional(),
      checkoutMode: oneOf(checkoutModes).default('hosted'),
      embeddingOrigin: embeddingOrigin(options).optional(),
      locale: oneOf(localeChoices)
        .default('en')
        .meta({ description: "Language of the page; `auto`: the language of the customer's browser." }),
      environment: oneOf(environments)
        .meta({ description: "Must equal the API key's environment." })
        .optional(),
      customer: customer.optional(),
      metadata: metadata.optional(),
      description: openText(1, 500)
        .optional()
        .meta({ description: 'What the payment is for; the customer sees it.' }),
      lineItems: lineItems.optional(),
    },
    { error: expected('a JSON object') },
  );

const productionSchema = createPaymentSchema({ allowHttpLoopback: false });
const developmentSchema = createPaymentSchema({ allowHttpLoopback: true });

/** The documented body of POST /v1/payments. */
export const CreatePaymentBody = productionSchema.meta({
  id: 'CreatePayment',
  description: 'A payment to create. Unknown fields are refused.',
  // Custom card capture accepts cards only.
  not: {
    properties: { checkoutMode: { const: 'custom' }, paymentMethod: { const: 'wallet' } },
    required: ['checkoutMode', 'paymentMethod'],
  },
  examples: [
    {
      amountCents: 2500,
      currency: 'USD',
      reference: 'order-1001',
      successUrl: 'https://shop.example/thanks',
      cancelUrl: 'https://shop.example/cart',
      locale: 'en',
      customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
      metadata: { cart: 'c-77' },
      description: 'Spring delivery',
      lineItems: [{ name: 'Coffee beans, 250 g', quantity: 2, amountCents: 2500 }],
    },
  ],
});

/**
 * Turns the JSON value of a create request into a command, or names its first fault: known fields in the
 * order of the specification's table, then unknown ones as `customer` or `body`. A body that is not an object
 * is a fault of `body`. Null is not a value of any field (AMB-46). Does not check what the merchant's
 * settings allow.
 * Spec: POST /v1/payments; AMB-16, AMB-19.
 */
export function parseCreatePayment(
  body: unknown,
  options: UrlOptions,
): { ok: true; command: CreatePaymentCommand } | InputFailure {
  const schema = options.allowHttpLoopback ? developmentSchema : productionSchema;
  const parsed = schema.safeParse(body);
  if (!parsed.success) return firstFault(parsed.error, schema);
  const sent = parsed.data;
  const fault = sent.lineItems === undefined ? null : lineItemsFault(sent.lineItems, sent.amountCents);
  if (fault !== null) return failure('lineItems', fault);
  return {
    ok: true,
    command: {
      amountCents: sent.amountCents,
      currency: sent.currency,
      reference: sent.reference,
      successUrl: sent.successUrl,
      cancelUrl: sent.cancelUrl,
      paymentMethod: sent.paymentMethod ?? null,
      checkoutMode: sent.checkoutMode,
      embeddingOrigin: sent.embeddingOrigin === undefined ? null : new URL(sent.embeddingOrigin).origin,
      locale: sent.locale,
      environment: sent.environment ?? null,
      customer: {
        email: sent.customer?.email ?? null,
        name: sent.customer?.name ?? null,
        documentNumber: sent.customer?.documentNumber ?? null,
        phone: sent.customer?.phone ?? null,
      },
      metadata: sent.metadata ?? {},
      description: sent.description ?? null,
      lineItems: sent.lineItems ?? null,
    },
  };
}

/**
 * POST /v1/payments: 201 `{data: CreationResult}`, also on replay (then with `Idempotent-Replayed: true`).
 */
export const create =
  (deps: CreatePaymentDeps & { production: boolean }) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = principalOf(request);
    const key = idempotencyKey(request);
    const body = jsonBody(request);
    const parsed = orRefuse(
      parseCreatePayment(body, { allowHttpLoopback: !deps.production }),
      'validation_failed',
    );
    const { result, replayed } = await createPayment(
      deps,
      principal,
      {
        merchantId: principal.merchantId,
        environment: principal.environment,
        operation: createOperation,
        key,
        bodyHash: bodyHash(body),
      },
      parsed.command,
    );
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return reply.status(201).send({ data: result });
  };
