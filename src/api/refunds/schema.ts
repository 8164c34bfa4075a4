import * as z from 'zod';
import { refundReasons, refundStatuses } from '../../domain/refund.ts';
import { environments } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { isJsonObject } from '../http/metadata.ts';
import { cents, dateTime, examplePaymentId, nullableText, uuid } from '../http/schema.ts';
import { listParameters } from '../http/request-schema.ts';

// Checked in the request and returned unchanged.
const storedMetadata = z.unknown().refine(isJsonObject).meta({ type: 'object', additionalProperties: true });

/** A refund. All keys are always present. docs/refunds-and-disputes.md. */
export const Refund = z
  .strictObject({
    id: uuid(),
    paymentId: uuid(),
    amountCents: cents(1),
    currency: z.literal('USD'),
    status: z.enum(refundStatuses).meta({
      description: '`succeeded` can still become `failed`: the bank may send the money back later.',
    }),
    reason: z.enum(refundReasons).nullable(),
    reference: text(1, 255).nullable(),
    failureCode: nullableText(1, 128).meta({ description: 'Set when `failed`; new values may appear.' }),
    failureMessage: nullableText(1, 500),
    metadata: storedMetadata,
    environment: z.enum(environments),
    createdAt: dateTime(),
    succeededAt: dateTime().nullable(),
    failedAt: dateTime().nullable(),
  })
  .meta({
    id: 'Refund',
    description: 'A refund, in any status. The payment’s `refundedCents` counts succeeded refunds.',
    examples: [
      {
        id: '01931c5e-9b70-7c3c-9d41-2f6e5a7c8b91',
        paymentId: examplePaymentId,
        amountCents: 1000,
        currency: 'USD',
        status: 'succeeded',
        reason: 'requestedByCustomer',
        reference: 'return-88',
        failureCode: null,
        failureMessage: null,
        metadata: {},
        environment: 'sandbox',
        createdAt: '2026-03-02T09:00:00.000Z',
        succeededAt: '2026-03-02T09:00:02.000Z',
        failedAt: null,
      },
    ],
  });
export type Refund = z.infer<typeof Refund>;

/** Query of GET /v1/refunds and GET /v1/payments/{id}/refunds. */
export const ListRefundsQuery = z.strictObject({
  status: z.enum(refundStatuses).optional(),
  paymentId: z.uuid().optional(),
  ...listParameters,
});
