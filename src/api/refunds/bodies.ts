import * as z from 'zod';
import { type RefundReason, refundReasons, refundStatuses } from '../../domain/refund.ts';
import { firstFault, type InputFailure } from '../http/input.ts';
import { expected, metadata, openText, oneOf } from '../http/fields.ts';
import { uuidParam } from '../http/query-params.ts';

/** A refund as the rest of the service sees it. Amounts in integer US cents. */
export interface CreateRefundCommand {
  /** Null: all that is left. */
  amountCents: number | null;
  reason: RefundReason | null;
  reference: string | null;
  metadata: Record<string, unknown>;
}

const maxAmountCents = 100_000_000;
const amountRule = `an integer from 1 to ${maxAmountCents}`;

/** The documented body of POST /v1/payments/{id}/refunds. docs/refunds-and-disputes.md. */
export const CreateRefundBody = z
  .strictObject(
    {
      amountCents: z
        .int({ error: expected(amountRule) })
        .min(1, { error: `must be ${amountRule}` })
        .max(maxAmountCents, { error: `must be ${amountRule}` })
        .meta({ description: 'US cents; leave out for all that is left.' })
        .optional(),
      reason: oneOf(refundReasons).optional(),
      reference: openText(1, 255).meta({ description: 'Your reference of this refund.' }).optional(),
      metadata: metadata.optional(),
    },
    { error: expected('a JSON object') },
  )
  .meta({
    id: 'CreateRefund',
    description: 'A refund to make. Unknown fields are refused.',
    examples: [{ amountCents: 1000, reason: 'requestedByCustomer', reference: 'return-88' }],
  });

/**
 * Turns the JSON value of a refund request into a command, or names its first fault. A fault is answered 422
 * validation_failed. docs/refunds-and-disputes.md.
 */
export function parseCreateRefund(body: unknown): { ok: true; command: CreateRefundCommand } | InputFailure {
  const parsed = CreateRefundBody.safeParse(body);
  if (!parsed.success) return firstFault(parsed.error);
  const { amountCents = null, reason = null, reference = null, metadata: extra = {} } = parsed.data;
  return { ok: true, command: { amountCents, reason, reference, metadata: extra } };
}

/** Filters of GET /v1/refunds beside dates and paging. */
export const refundFilters = z.object({
  status: oneOf(refundStatuses).optional(),
  paymentId: uuidParam.optional(),
});
