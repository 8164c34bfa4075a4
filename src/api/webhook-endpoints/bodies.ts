import * as z from 'zod';
import { expected, noCardNumber, object, oneOf, openText } from '../http/fields.ts';
import { urlHoldsCardNumber } from '../../domain/card-number.ts';
import { httpsUriPattern, maxUriLength } from '../../domain/urls.ts';
import { type EgressRules, checkEndpointUrl } from '../../webhooks/endpoint-url.ts';
import { eventFilterPattern, isEventFilter } from '../../domain/event-types.ts';

const maxFilters = 50;

const filter = z
  .string({ error: expected('an event type') })
  .refine(isEventFilter, {
    error: 'must be an event type such as payment.paid, or a group such as payment.*',
  })
  .meta({ pattern: eventFilterPattern.source, examples: ['payment.paid', 'payment.*'] });

const filters = z
  .array(filter, { error: expected('a list of event types') })
  .min(1, { error: 'must have at least one event type' })
  .max(maxFilters, { error: `must have at most ${maxFilters} event types` });

const url = (rules: EgressRules) =>
  z
    .string({ error: expected('a URL') })
    .superRefine((value, context) => {
      const checked = checkEndpointUrl(value, rules);
      if (!checked.ok) context.addIssue(checked.reason);
    })
    .refine((value) => !urlHoldsCardNumber(value), noCardNumber)
    .meta({ format: 'uri', minLength: 1, maxLength: maxUriLength, pattern: httpsUriPattern });

/** Body of POST /v1/webhook-endpoints. Without `events` the endpoint receives all. */
export const createEndpointBody = (rules: EgressRules) =>
  z.strictObject(
    { url: url(rules), events: filters.nullish(), description: openText(1, 255).nullish() },
    object,
  );

/** Body of PATCH /v1/webhook-endpoints/{id}. With `events: null` the endpoint receives all. */
export const changeEndpointBody = (rules: EgressRules) =>
  z.strictObject(
    {
      url: url(rules).optional(),
      events: filters.nullable().optional(),
      description: openText(1, 255).nullable().optional(),
      status: oneOf(['enabled', 'disabled']).optional(),
    },
    object,
  );

const instant = z.iso
  .datetime({ error: expected('an instant such as 2026-03-01T12:00:00Z') })
  .transform((value) => new Date(value));

/** Body of POST /v1/webhook-endpoints/{id}/replay. */
export const replayBody = z.strictObject(
  {
    since: instant,
    until: instant.optional(),
    types: filters.optional(),
    status: oneOf(['failed', 'all']),
    dryRun: z.boolean({ error: expected('true or false') }).optional(),
  },
  object,
);
