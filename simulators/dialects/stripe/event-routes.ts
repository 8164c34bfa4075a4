import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { randomBase62 } from '../../secrets.ts';
import { type Call, Calls } from './calls.ts';
import type { StripeContext } from './context.ts';
import { badParameter, noSuch } from './errors.ts';
import { newObject } from './ids.ts';
import { pageOf } from './lists.ts';
import { expand, listParameters, metadata } from './parameters.ts';
import type { Endpoint } from './records.ts';
import { API_VERSION } from './version.ts';
import { endpointView, eventView } from './views.ts';

/** Stripe's own limit. */
const MAX_ENDPOINTS = 16;

const createParameters = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  enabled_events: z.array(z.string().max(100)).min(1).max(200),
  api_version: z.string().max(40).optional(),
  description: z.string().max(5000).optional(),
  metadata,
  expand,
});

/** Registers the routes of events and of webhook endpoints. */
export function eventRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { events, endpoints } = stripe;
  const endpoint = ({ caller, id }: Call<unknown>): Endpoint => {
    const found = endpoints.get(id);
    if (found && found.accountId === caller.accountId && found.live === caller.live) return found;
    throw noSuch('webhook endpoint', id, 'webhook_endpoint');
  };

  return async (app) => {
    const calls = new Calls(stripe, app);

    calls.get('/v1/events/:id', {
      kind: 'events.retrieve',
      schema: z.strictObject({ expand }),
      run: ({ caller, id }) => {
        const event = events.get(id);
        if (!event || event.accountId !== caller.accountId || event.live !== caller.live) {
          throw noSuch('event', id, 'id');
        }
        return { object: eventView(event, API_VERSION, 0) };
      },
    });

    calls.get('/v1/events', {
      kind: 'events.list',
      schema: z.strictObject({
        ...listParameters,
        type: z.string().max(100).optional(),
        types: z.array(z.string().max(100)).max(20).optional(),
      }),
      run: ({ caller, parameters }) => {
        const { type, types } = parameters;
        const emitted = events
          .all()
          .filter((event) => (type ?? event.type) === event.type && (types?.includes(event.type) ?? true));
        return {
          object: pageOf('/v1/events', caller, emitted, parameters, (event) =>
            eventView(event, API_VERSION, 0),
          ),
        };
      },
    });

    calls.post('/v1/webhook_endpoints', {
      kind: 'webhook_endpoints.create',
      schema: createParameters,
      run: ({ caller, parameters }) => {
        const made = addEndpoint(stripe, caller, parameters, `whsec_${randomBase62(32)}`);
        return { object: endpointView(made, true) };
      },
    });

    calls.get('/v1/webhook_endpoints', {
      kind: 'webhook_endpoints.list',
      schema: z.strictObject(listParameters),
      run: ({ caller, parameters }) => ({
        object: pageOf('/v1/webhook_endpoints', caller, [...endpoints.values()], parameters, (each) =>
          endpointView(each, false),
        ),
      }),
    });

    calls.get('/v1/webhook_endpoints/:id', {
      kind: 'webhook_endpoints.retrieve',
      schema: z.strictObject({ expand }),
      run: (call) => ({ object: endpointView(endpoint(call), false) }),
    });

    calls.delete('/v1/webhook_endpoints/:id', {
      kind: 'webhook_endpoints.delete',
      schema: z.strictObject({ expand }),
      run: (call) => {
        const { id } = endpoint(call);
        endpoints.delete(id);
        return { object: { id, object: 'webhook_endpoint', deleted: true } };
      },
    });
  };
}

/** Registers an address for an account's events, signed with `secret`. */
export function addEndpoint(
  { endpoints, now }: StripeContext,
  caller: Call<unknown>['caller'],
  parameters: Pick<
    z.infer<typeof createParameters>,
    'url' | 'enabled_events' | 'api_version' | 'description'
  > & {
    metadata?: Record<string, string>;
  },
  secret: string,
): Endpoint {
  const own = [...endpoints.values()].filter(
    ({ accountId, live }) => accountId === caller.accountId && live === caller.live,
  );
  if (own.length >= MAX_ENDPOINTS) {
    throw badParameter('url', `You have reached the maximum of ${MAX_ENDPOINTS} webhook endpoints.`);
  }
  const made = newObject('we', caller, now(), parameters.metadata);
  return endpoints.put(made.id, {
    ...made,
    url: parameters.url,
    secret,
    enabledEvents: parameters.enabled_events,
    description: parameters.description ?? null,
    apiVersion: parameters.api_version ?? null,
  });
}
