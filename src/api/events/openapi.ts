import * as z from 'zod';
import { type Operation, webhooksGroup } from '../http/operation.ts';
import { cursorListOf, dataOf } from '../http/schema.ts';
import { cursorListParameters } from '../http/request-schema.ts';
import { logStart, maxSequence, redeliverBody } from './bodies.ts';
import { Event, Redelivery, eventId } from './schema.ts';
import { eventFilterPattern, testEventType } from '../../domain/event-types.ts';

const eventsQuery = z.strictObject({
  type: z
    .union([
      z
        .string()
        .regex(eventFilterPattern)
        .meta({ examples: ['payment.paid', 'payment.*'] }),
      z.literal(testEventType),
    ])
    .meta({ description: 'A type such as `payment.paid`, or a group such as `payment.*`.' })
    .optional(),
  paymentId: z.uuid().optional(),
  afterSequence: z
    .int()
    .min(0)
    .max(maxSequence)
    .meta({ description: 'Only events of the payment with a higher `sequence`; requires `paymentId`.' })
    .optional(),
  after: z
    .union([eventId(), z.literal(logStart)])
    .meta({
      description:
        'Id of the last event read, or `start`. Only with `paymentId` may it be combined with `from` or `to`.',
    })
    .optional(),
  ...cursorListParameters,
});

/** Operations of the event log (docs/webhooks.md). */
export const eventOperations: readonly Operation[] = [
  {
    id: 'listEvents',
    method: 'get',
    path: '/v1/events',
    group: webhooksGroup,
    summary: 'Read the event log',
    description: 'Newest first; with `after`, oldest first from that event on. Events are kept for 90 days.',
    query: eventsQuery,
    success: 200,
    answer: cursorListOf(Event),
    codes: ['invalid_query'],
  },
  {
    id: 'retrieveEvent',
    method: 'get',
    path: '/v1/events/{id}',
    idOf: 'event',
    group: webhooksGroup,
    summary: 'Read an event',
    description: 'The event exactly as its webhooks carry it.',
    success: 200,
    answer: dataOf(Event),
    codes: ['not_found'],
  },
  {
    id: 'redeliverEvent',
    method: 'post',
    path: '/v1/events/{id}/redeliver',
    idOf: 'event',
    group: webhooksGroup,
    summary: 'Send an event again',
    description: 'To one endpoint, or to every enabled endpoint that receives its type.',
    body: { schema: redeliverBody, required: false },
    success: 202,
    answer: dataOf(Redelivery),
    codes: ['not_found', 'validation_failed'],
  },
];
