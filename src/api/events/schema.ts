import * as z from 'zod';
import { eventIdPattern } from '../../domain/event-id.ts';
import { environments } from '../../domain/statuses.ts';
import { dateTime, uuid } from '../http/schema.ts';

export const eventId = () =>
  z
    .string()
    .regex(eventIdPattern)
    .meta({ examples: ['evt_5g5SLmIUyUPNOjKUl2iEhwBJ'] });

/** An event as webhooks and GET /v1/events carry it. */
export const Event = z
  .strictObject({
    id: eventId(),
    type: z.string().meta({
      description: 'The webhooks of this document say what each type means. More types may come.',
      examples: ['payment.paid'],
    }),
    timestamp: dateTime(),
    apiVersion: z.literal('v1'),
    environment: z.enum(environments),
    sequence: z.int().min(0).meta({ description: 'Rises by one per payment; 0 for an event of no payment.' }),
    previousStatus: z.string().nullable(),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The object as it was at the time of the event.' }),
  })
  .meta({ id: 'Event', description: 'Something that happened; the body of a webhook.' });

export const Redelivery = z
  .strictObject({ eventId: eventId(), endpointIds: z.array(uuid()) })
  .meta({ id: 'Redelivery', description: 'Where an event is sent again.' });
