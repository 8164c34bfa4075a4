import * as z from 'zod';
import { type InputFailure, failure, firstFault } from '../http/input-failure.ts';
import { expected, text, word } from '../http/fields.ts';
import { maxUriLength } from '../../domain/urls.ts';
import { type EgressRules, checkEndpointUrl } from '../../webhooks/endpoint-url.ts';
import { isEventFilter } from '../../domain/event-types.ts';

const maxFilters = 50;

const filter = z
  .string({ error: expected('an event type') })
  .refine(isEventFilter, {
    error: 'must be an event type such as payment.paid, or a group such as payment.*',
  })
  .meta({ examples: ['payment.paid', 'payment.*'] });

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
    .meta({ format: 'uri', minLength: 1, maxLength: maxUriLength });

const object = { error: expected('a JSON object') };

/** Body of POST /v1/webhook-endpoints. `events` absent: all. */
export const createEndpointBody = (rules: EgressRules) =>
  z.strictObject({ url: url(rules), events: filters.nullish(), description: text(1, 255).nullish() }, object);

/** Body of PATCH /v1/webhook-endpoints/{id}. `events` null: all. */
export const changeEndpointBody = (rules: EgressRules) =>
  z.strictObject(
    {
      url: url(rules).optional(),
      events: filters.nullable().optional(),
      description: text(1, 255).nullable().optional(),
      status: word(['enabled', 'disabled']).optional(),
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
    status: word(['failed', 'all']),
    dryRun: z.boolean({ error: expected('true or false') }).optional(),
  },
  object,
);

/** Body of POST /v1/events/{id}/redeliver. `endpointId` absent: every enabled endpoint that asks for the event. */
export const redeliverBody = z.strictObject(
  {
    endpointId: z
      .uuid({ error: expected('the id of an endpoint') })
      .toLowerCase()
      .optional(),
  },
  object,
);

/** Checks a body; the first fault is answered 422 validation_failed. */
export function parseBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
): { ok: true; value: z.output<T> } | InputFailure {
  const parsed = schema.safeParse(body);
  return parsed.success ? { ok: true, value: parsed.data } : firstFault(parsed.error);
}

/** The range of a replay: it must not be empty, or reach into the future. */
export function replayUntil(
  { since, until }: { since: Date; until?: Date | undefined },
  now: Date,
): { ok: true; until: Date } | InputFailure {
  const end = until === undefined || until > now ? now : until;
  return since < end
    ? { ok: true, until: end }
    : failure('since', 'since must be before until and in the past');
}
