import * as z from 'zod';
import { disputeResolutions, disputeStages, disputeStatuses } from '../../domain/dispute.ts';
import { environments } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { cents, cursorListOf, dateTime, examplePaymentId, listOf, uuid } from '../http/schema.ts';
import { cursorParameters, listParameters } from '../http/request-schema.ts';

/** A dispute. All keys are always present. docs/refunds-and-disputes.md. */
export const Dispute = z
  .strictObject({
    id: uuid(),
    paymentId: uuid(),
    amountCents: cents(1),
    currency: z.literal('USD'),
    reason: text(1, 128).meta({ description: 'The reason as the network names it; new values may appear.' }),
    stage: z.enum(disputeStages),
    status: z.enum(disputeStatuses),
    resolution: z.enum(disputeResolutions).nullable().meta({
      description: 'How it was closed; null while open. A withdrawn dispute is `won`.',
    }),
    evidence: z.record(z.string(), z.string()).meta({ description: 'As staged; empty in webhooks.' }),
    evidenceDueAt: dateTime(),
    submittedAt: dateTime().nullable(),
    autoSubmit: z.boolean(),
    environment: z.enum(environments),
    createdAt: dateTime(),
    closedAt: dateTime().nullable(),
  })
  .meta({
    id: 'Dispute',
    description: 'A customer’s dispute of a payment, opened by the network.',
    examples: [
      {
        id: '5b0f1a52-7c1e-8f3a-a2b4-90c1de23f456',
        paymentId: examplePaymentId,
        amountCents: 2500,
        currency: 'USD',
        reason: 'fraudulent',
        stage: 'chargeback',
        status: 'needsResponse',
        resolution: null,
        evidence: {},
        evidenceDueAt: '2026-03-09T12:00:00.000Z',
        submittedAt: null,
        autoSubmit: true,
        environment: 'sandbox',
        createdAt: '2026-03-02T12:00:00.000Z',
        closedAt: null,
      },
    ],
  });
export type Dispute = z.infer<typeof Dispute>;

/**
 * Query of GET /v1/disputes and GET /v1/payments/{id}/disputes: by cursor with `dueBefore`, else by pages.
 */
export const ListDisputesQuery = z.strictObject({
  status: z.enum(disputeStatuses).optional(),
  paymentId: z.uuid().optional(),
  dueBefore: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })])
    .meta({ description: 'Exclusive; the next deadline first.' })
    .optional(),
  ...listParameters,
  ...cursorParameters,
});

/** The answer to {@link ListDisputesQuery}. */
export const DisputeList = z.union([listOf(Dispute), cursorListOf(Dispute)]);
