import * as z from 'zod';
import { deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import { changeEndpointBody, createEndpointBody, replayBody } from './bodies.ts';
import { Event } from '../events/schema.ts';
import { cursorListOf, dataOf, listOf } from '../http/schema.ts';
import { cursorListParameters, listParameters } from '../http/request-schema.ts';
import { DeletedEndpoint, Delivery, Replay, WebhookEndpoint, WebhookEndpointWithSecret } from './schema.ts';
import { type Operation, webhooksGroup } from '../http/operation.ts';

const path = '/v1/webhook-endpoints';
/** The document describes only shapes; each request is checked against the real egress rules. */
const rules = { allowLoopback: false };

/** Operations of webhook endpoints (docs/webhooks.md). */
export const webhookEndpointOperations: readonly Operation[] = [
  {
    id: 'listWebhookEndpoints',
    method: 'get',
    path,
    group: webhooksGroup,
    summary: 'List webhook endpoints',
    description: 'The endpoints of the environment of your key, without their secrets.',
    query: z.strictObject(listParameters),
    success: 200,
    answer: listOf(WebhookEndpoint),
    codes: ['invalid_query'],
  },
  {
    id: 'createWebhookEndpoint',
    method: 'post',
    path,
    group: webhooksGroup,
    summary: 'Add a webhook endpoint',
    description: 'The signing secret is shown in this answer only.',
    body: { schema: createEndpointBody(rules), required: true },
    success: 201,
    answer: dataOf(WebhookEndpointWithSecret),
    codes: ['not_found', 'validation_failed'],
  },
  {
    id: 'retrieveWebhookEndpoint',
    method: 'get',
    path: `${path}/{id}`,
    group: webhooksGroup,
    summary: 'Read a webhook endpoint',
    description: 'Its address, event types and state, without its secret.',
    success: 200,
    answer: dataOf(WebhookEndpoint),
    codes: ['not_found'],
  },
  {
    id: 'changeWebhookEndpoint',
    method: 'patch',
    path: `${path}/{id}`,
    group: webhooksGroup,
    summary: 'Change, enable or disable a webhook endpoint',
    description: 'An absent field stays as it is; `events` null sends all types.',
    body: { schema: changeEndpointBody(rules), required: true },
    success: 200,
    answer: dataOf(WebhookEndpoint),
    codes: ['not_found', 'validation_failed'],
  },
  {
    id: 'deleteWebhookEndpoint',
    method: 'delete',
    path: `${path}/{id}`,
    group: webhooksGroup,
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to it.',
    success: 200,
    answer: dataOf(DeletedEndpoint),
    codes: ['not_found'],
  },
  {
    id: 'rotateWebhookSecret',
    method: 'post',
    path: `${path}/{id}/rotate-secret`,
    group: webhooksGroup,
    summary: 'Replace the signing secret',
    description: 'Deliveries carry signatures of both secrets for 24 hours.',
    success: 200,
    answer: dataOf(WebhookEndpointWithSecret),
    codes: ['not_found'],
  },
  {
    id: 'testWebhookEndpoint',
    method: 'post',
    path: `${path}/{id}/test`,
    group: webhooksGroup,
    summary: 'Send a test event',
    description: 'Sends one `endpoint.test` event to this endpoint, whatever types it receives.',
    success: 202,
    answer: dataOf(Event),
    codes: ['not_found', 'validation_failed'],
  },
  {
    id: 'listDeliveries',
    method: 'get',
    path: `${path}/{id}/deliveries`,
    group: webhooksGroup,
    summary: 'List the deliveries to an endpoint',
    description: 'Newest first, each with its latest attempts.',
    query: z.strictObject({ status: z.enum(deliveryStatuses).optional(), ...cursorListParameters }),
    success: 200,
    answer: cursorListOf(Delivery),
    codes: ['not_found', 'invalid_query'],
  },
  {
    id: 'replayEvents',
    method: 'post',
    path: `${path}/{id}/replay`,
    group: webhooksGroup,
    summary: 'Send a range of events again',
    description:
      'Sends the events of a time span again, or only those that failed. `dryRun` counts them and sends nothing.',
    body: { schema: replayBody, required: true },
    success: 202,
    answer: dataOf(Replay),
    codes: ['not_found', 'validation_failed'],
  },
];
