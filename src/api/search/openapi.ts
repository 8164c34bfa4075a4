import * as z from 'zod';
import { checkoutStatuses, paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { partLengths } from './search-query.ts';
import type { Operation } from '../http/operation.ts';
import { cursorParameters } from '../http/request-schema.ts';
import { cursorListOf } from '../http/schema.ts';
import { Payment } from '../payments/schema.ts';

const instantOrDay = (description: string) =>
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date()])
    .meta({ description })
    .optional();
const amount = (description: string) => z.int().min(0).max(100_000_000).meta({ description }).optional();

const searchQuery = z.strictObject({
  q: text(partLengths.min, partLengths.max)
    .meta({
      description:
        "A part of the reference, the customer's name or e-mail address, or the description; case-insensitive.",
      examples: ['1001'],
    })
    .optional(),
  reference: text(1, 255)
    .meta({ description: 'Exactly.', examples: ['order-1001'] })
    .optional(),
  email: text(1, 320).meta({ description: "The customer's address; case-insensitive." }).optional(),
  customerName: text(1, 255).meta({ description: "The customer's whole name; case-insensitive." }).optional(),
  last4: z
    .string()
    .regex(/^[0-9]{4}$/)
    .meta({ description: 'The last digits of any card that was tried.', examples: ['4242'] })
    .optional(),
  method: z.enum(paymentMethods).optional(),
  status: z.enum(paymentStatuses).optional(),
  checkoutStatus: z.enum(checkoutStatuses).optional(),
  amountFrom: amount('In cents, inclusive.'),
  amountTo: amount('In cents, inclusive.'),
  from: instantOrDay('Created at this instant, or on this UTC day, or later.'),
  to: instantOrDay('Created at this instant, or on this UTC day, or earlier.'),
  ...cursorParameters,
});

/** Search over payments (docs/readings.md). */
export const searchOperations: readonly Operation[] = [
  {
    id: 'searchPayments',
    method: 'get',
    path: '/v1/search/payments',
    group: 'Payments',
    summary: 'Find payments, newest first',
    description:
      'All filters given must match. With `Accept: text/csv` everything that matches is streamed, whatever the limit.',
    query: searchQuery,
    success: 200,
    answer: cursorListOf(Payment),
    csv: 'One line per payment, with a header line; RFC 4180 in UTF-8.',
    codes: ['invalid_query', 'validation_failed'],
  },
];
