import * as z from 'zod';
import { movementTypes } from '../../domain/movement.ts';
import { environments, paymentMethods } from '../../domain/statuses.ts';
import { dateTime, uuid } from '../http/schema.ts';

/** A movement. All keys are always present. docs/movements.md. */
export const Movement = z
  .strictObject({
    id: uuid(),
    type: z.enum(movementTypes).meta({
      description:
        '`late`: taken after the checkout or the attempt was over. `refund_failed`: a refund came back. `disputed`: ' +
        'withdrawn; `dispute_won`: returned; `dispute_lost`: gone for good (0 where it was withdrawn before). `payout`: ' +
        'paid out to the bank.',
    }),
    amountCents: z.int().meta({ description: 'Negative: it took money from you.' }),
    currency: z.string().min(1).max(16),
    occurredAt: dateTime().meta({
      description: 'When the money moved, as the provider says where it does.',
    }),
    bookedAt: dateTime().meta({
      description:
        'The instant it is counted under: `occurredAt`, or when it was noticed if its month was closed by then.',
    }),
    bookedOn: z.iso.date().meta({ description: 'The day of `bookedAt` in your time zone.' }),
    paymentId: uuid().nullable(),
    refundId: uuid().nullable(),
    disputeId: uuid().nullable(),
    method: z.enum(paymentMethods).nullable(),
    providerReference: z.string().nullable().meta({
      description: 'What the provider calls it, or the key under which it is found there.',
    }),
    followsFrom: uuid().nullable().meta({ description: 'The movement it undoes or continues.' }),
    environment: z.enum(environments),
  })
  .meta({ id: 'Movement', description: 'A movement of money. It never changes.' });
