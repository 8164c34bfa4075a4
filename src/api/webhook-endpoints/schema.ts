import * as z from 'zod';
import { deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import { environments } from '../../domain/statuses.ts';
import { text } from '../http/fields.ts';
import { eventId } from '../events/schema.ts';
import { dateTime, uri, uuid } from '../http/schema.ts';

/* The answers of the webhook endpoint routes, for the document (docs/webhooks.md). */

export const WebhookEndpoint = z
  .strictObject({
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
  })
  .meta({ id: 'WebhookEndpoint', description: 'Where events of one environment are delivered.' });

/** Only the answers of creation and rotation carry the secret (HOOK-06). */
export const WebhookEndpointWithSecret = z
  .intersection(
    WebhookEndpoint,
    z.strictObject({
      secret: z.string().meta({ description: 'Shown only once. Verify every delivery with it.' }),
    }),
  )
  .meta({ id: 'WebhookEndpointWithSecret', description: 'A webhook endpoint with its new signing secret.' });

export const DeletedEndpoint = z
  .strictObject({ id: uuid(), deleted: z.literal(true) })
  .meta({ id: 'DeletedEndpoint', description: 'The id of a deleted endpoint.' });

export const Delivery = z
  .strictObject({
    eventId: eventId(),
    endpointId: uuid(),
    type: z.string(),
    status: z.enum(deliveryStatuses),
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
  .meta({ id: 'Delivery', description: 'The delivery of one event to one endpoint, with its latest tries.' });

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
