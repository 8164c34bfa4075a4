import * as z from 'zod';
import { environments } from '../../domain/statuses.ts';
import { dateTime, uuid } from '../http/schema.ts';

export const eventId = () => z.string().meta({ examples: ['evt_01931c5e8a6f7b3c9d412f6e5a7c8b90'] });

/** An event as webhooks and GET /v1/events carry it. */
export const Event = z
  .strictObject({
    id: eventId(),
    type: z.string().meta({ examples: ['payment.paid'] }),
    timestamp: dateTime(),
    apiVersion: z.literal('v1'),
    environment: z.enum(environments),
    sequence: z.int().min(0).meta({ description: 'Rises by one per payment.' }),
    previousStatus: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).meta({ description: 'The object as it was when this happened.' }),
  })
  .meta({ id: 'Event', description: 'Something that happened; the body of a webhook.' });

export const Redelivery = z
  .strictObject({ eventId: eventId(), endpointIds: z.array(uuid()) })
  .meta({ id: 'Redelivery', description: 'Where an event is sent again.' });
