import * as z from 'zod';
import { environments } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { dateTime, uri, uuid } from '../http/schema.ts';

/*
 * Answers of the webhook and event endpoints, for the document. Contracts section 8.
 */

const eventId = () => z.string().meta({ examples: ['evt_01931c5e8a6f7b3c9d412f6e5a7c8b90'] });

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

const endpoint = {
  id: uuid(),
  url: uri(),
  description: text(1, 255).nullable(),
  events: z.array(z.string()).nullable().meta({ description: 'Types or groups; null for all.' }),
  status: z.enum(['enabled', 'disabled']),
  disabledReason: z.string().nullable(),
  failingSince: dateTime().nullable(),
  previousSecretExpiresAt: dateTime().nullable(),
  environment: z.enum(environments),
  createdAt: dateTime(),
  updatedAt: dateTime(),
};

export const WebhookEndpoint = z
  .strictObject(endpoint)
  .meta({ id: 'WebhookEndpoint', description: 'Where events of one environment are delivered.' });

/** Only the answers of creation and rotation carry the secret (HOOK-06). */
export const WebhookEndpointWithSecret = z
  .strictObject({
    ...endpoint,
    secret: z.string().meta({ description: 'Shown this once. Verify every delivery with it.' }),
  })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'A webhook endpoint with its new signing secret.' });

export const DeletedEndpoint = z
  .strictObject({ id: uuid(), deleted: z.literal(true) })
  .meta({ id: 'DeletedEndpoint', description: 'What is left of a deleted endpoint.' });

export const Delivery = z
  .strictObject({
    eventId: eventId(),
    endpointId: uuid(),
    type: z.string(),
    status: z.string(),
    createdAt: dateTime(),
    nextAttemptAt: dateTime().nullable(),
    deliveredAt: dateTime().nullable(),
    attemptCount: z.int().min(0),
    attempts: z.array(
      z.strictObject({
        attemptNo: z.int().min(1),
        at: z.string(),
        durationMs: z.int().min(0),
        statusCode: z.int().nullable(),
        error: z.string().nullable(),
        responseExcerpt: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one endpoint, with its latest tries.' });

export const Redelivery = z
  .strictObject({ eventId: eventId(), endpointIds: z.array(uuid()) })
  .meta({ id: 'Redelivery', description: 'Where an event is sent again.' });

export const Replay = z
  .strictObject({
    id: z.string().nullable(),
    endpointId: uuid(),
    since: dateTime(),
    until: dateTime(),
    matched: z.int().min(0),
    dryRun: z.boolean(),
  })
  .meta({ id: 'Replay', description: 'A range of events that is sent again.' });
