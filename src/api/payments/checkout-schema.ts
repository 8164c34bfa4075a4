import * as z from 'zod';
import { checkoutStatuses, environments, terminalReasons } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { cents, dateTime, examplePaymentId, uri, uuid } from '../http/schema.ts';

const attemptsLeft = () => z.int().min(0).max(5);
const clientSecret = () => text(1, 2048).meta({ description: 'A secret of the current action.' });
const publishableKey = () => text(1, 255);

const terminalReason = () =>
  z.enum(terminalReasons).meta({ description: 'Why the checkout is closed; only present then.' });

const PciConfig = z.strictObject({
  provider: z.enum(['cardVault', 'pciVault']),
  captureUrl: uri(),
  vaultId: text(1, 31).meta({ description: 'Random, of this payment only.' }),
  allowedOrigin: uri(),
  iframeUrl: uri().meta({ description: 'Only with a hosted form for the checkout origin.' }).optional(),
});

const Capture = z.strictObject({
  url: uri().meta({ description: 'Post the card fields here, exactly as returned, from your backend.' }),
  secret: text(16, 4096).meta({
    description: 'Value of X-CardVault-Capture-Secret. Keep it on your backend; never log it.',
  }),
  reference: text(1, 31),
  expiresAt: dateTime(),
});

/** Spec: Resources > Checkout object. Only the answer of prepare has `capture` (CHECKOUT-24). */
export const CheckoutObject = z
  .strictObject({
    paymentId: uuid(),
    amountCents: cents(500),
    currency: z.literal('USD'),
    reference: text(1, 255),
    status: z.enum(checkoutStatuses),
    expiresAt: dateTime(),
    attemptsLeft: attemptsLeft(),
    environment: z.enum(environments),
    pciConfig: PciConfig,
    terminalReason: terminalReason().optional(),
    actionUrl: uri()
      .meta({
        description: "Open in the customer's browser; only present while the status is `requiresAction`.",
      })
      .optional(),
    capture: Capture.optional(),
  })
  .meta({
    id: 'Checkout',
    description: 'A merchant-captured checkout. The answer of prepare must not be returned to a browser.',
    examples: [
      {
        paymentId: examplePaymentId,
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
          secret: 'cs_4nQ8vB1xT6yR3wZ0',
          reference: 'cap_8Jd02mKq',
          expiresAt: '2026-03-01T12:10:00.000Z',
        },
      },
    ],
  });
export type CheckoutObject = z.infer<typeof CheckoutObject>;

const ThreeDSAction = z
  .strictObject({
    kind: z.literal('threeDS'),
    clientSecret: clientSecret(),
    publishableKey: publishableKey(),
  })
  .meta({ id: 'ThreeDSAction', description: 'The customer must authenticate the card.' });

const WalletAction = z
  .strictObject({ kind: z.literal('wallet'), checkoutUrl: uri(), expiresAt: dateTime() })
  .meta({ id: 'WalletAction', description: 'The customer must approve the payment in the wallet.' });

const Action = z
  .discriminatedUnion('kind', [ThreeDSAction, WalletAction])
  .meta({ id: 'CheckoutAction', description: 'The open step of the customer.' });

/**
 * Spec: Resources > Status object. `action` is always present, and null unless the status is
 * `requiresAction`.
 */
export const StatusObject = z
  .strictObject({
    paymentId: uuid(),
    status: z.enum(checkoutStatuses),
    attemptsLeft: attemptsLeft(),
    expiresAt: dateTime(),
    action: Action.nullable(),
    terminalReason: terminalReason().optional(),
  })
  .meta({
    id: 'CheckoutState',
    description: 'The durable state of a merchant-captured checkout.',
    examples: [
      {
        paymentId: examplePaymentId,
        status: 'requiresAction',
        attemptsLeft: 5,
        expiresAt: '2026-03-01T12:30:00.000Z',
        action: { kind: 'threeDS', clientSecret: 'act_secret_7Yq1', publishableKey: 'pk_sandbox_example' },
      },
    ],
  });
export type StatusObject = z.infer<typeof StatusObject>;

/**
 * Spec: Resources > Attempt result. The result of one attempt, not the payment's final status (ATTEMPT-05).
 */
export const AttemptResult = z
  .discriminatedUnion('status', [
    z
      .strictObject({ status: z.literal('paid'), paymentId: uuid() })
      .meta({ id: 'AttemptPaid', description: 'The attempt succeeded.' }),
    z
      .strictObject({
        status: z.literal('requiresAction'),
        paymentId: uuid(),
        clientSecret: clientSecret(),
        publishableKey: publishableKey(),
      })
      .meta({ id: 'AttemptRequiresAction', description: 'The customer must complete a step.' }),
    z
      .strictObject({
        status: z.literal('failed'),
        paymentId: uuid(),
        failureCode: text(1, 128),
        message: text(1, 500),
        attemptsLeft: attemptsLeft(),
      })
      .meta({ id: 'AttemptFailed', description: 'The attempt was declined.' }),
  ])
  .meta({
    id: 'AttemptResult',
    description: 'The result of one attempt. Read the payment for its final status.',
    examples: [
      { status: 'paid', paymentId: examplePaymentId },
      {
        status: 'requiresAction',
        paymentId: examplePaymentId,
        clientSecret: 'act_secret_7Yq1',
        publishableKey: 'pk_sandbox_example',
      },
      {
        status: 'failed',
        paymentId: examplePaymentId,
        failureCode: 'card_declined',
        message: 'The card was declined.',
        attemptsLeft: 4,
      },
    ],
  });
export type AttemptResult = z.infer<typeof AttemptResult>;

/** Longest wait of a status read, in seconds. Shorter than the timeouts of proxies and clients. */
export const maxWaitSeconds = 25;

/** Query of a status read. docs/readings.md, "Waiting for a change". */
export const StatusQuery = z.strictObject({
  waitSeconds: z
    .int()
    .min(1)
    .max(maxWaitSeconds)
    .meta({ description: 'Wait for a change of the status, at most this many seconds.' })
    .optional(),
});
