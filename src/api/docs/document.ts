import { refusals } from '../../domain/refusals.ts';
import { ErrorBody } from '../http/error-schema.ts';
import { IdempotencyKeyHeaders } from '../http/request-schema.ts';
import { auditOperations } from '../audit/openapi.ts';
import { brandingOperations } from '../branding/openapi.ts';
import { disputeOperations } from '../disputes/openapi.ts';
import { eventOperations } from '../events/openapi.ts';
import { Event, eventId } from '../events/schema.ts';
import { movementOperations } from '../movements/openapi.ts';
import { requestOperations } from '../requests/openapi.ts';
import { refundOperations } from '../refunds/openapi.ts';
import type { Operation } from '../http/operation.ts';
import { requiredScope } from '../http/scope.ts';
import { paymentLinkOperations } from '../payment-links/openapi.ts';
import { paymentOperations } from '../payments/openapi.ts';
import { searchOperations } from '../search/openapi.ts';
import { sandboxOperations } from '../sandbox/openapi.ts';
import { webhookEndpointOperations } from '../webhook-endpoints/openapi.ts';
import { codeSamples } from './code-samples.ts';
import { Components } from './components.ts';
import { header, headers } from './headers.ts';
import type { Json, JsonObject } from './json.ts';
import { RefusalResponses } from './refusal-responses.ts';
import { shareAnswers } from './shared-answers.ts';
import { shareParameters } from './shared-parameters.ts';
import { describeWebhooks, webhookResponses } from './webhooks.ts';

/** Every endpoint of `/v1`, in the order of the reference. */
export const operations: readonly Operation[] = [
  ...paymentOperations,
  ...searchOperations,
  ...paymentLinkOperations,
  ...refundOperations,
  ...disputeOperations,
  ...movementOperations,
  ...webhookEndpointOperations,
  ...eventOperations,
  ...requestOperations,
  ...auditOperations,
  ...brandingOperations,
  ...sandboxOperations,
];

/** The description of each chapter of the reference. */
const chapters: Readonly<Record<Operation['group'], string>> = {
  Payments: 'Payments and their checkouts.',
  'Payment links': 'Addresses that begin payments.',
  Refunds: 'Refunds of paid payments.',
  Disputes: 'Disputes that customers open at their bank.',
  Movements: 'What was taken, refunded and disputed, and when.',
  'Webhooks and events': 'Endpoints that receive events, and the log of events.',
  'Checkout page': 'How a shop looks on the hosted checkout page.',
  Sandbox: 'Simulation of customers, networks and faults; sandbox keys only.',
};

/**
 * Returns the OpenAPI 3.1 document of the merchant API, built from the schemas that the routes use. Bodies,
 * answers, refusals and enumerations become components. `serverUrl` is the address of the API, without a
 * trailing slash.
 */
export function openApiDocument(serverUrl: string): JsonObject {
  const components = new Components();
  const refused = new RefusalResponses();
  components.name('ErrorCode', errorCodes());
  for (const schema of [ErrorBody, Event]) components.schemaOf(schema, 'answer');
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    const known = (paths[operation.path] ??= {});
    known[operation.method] = describeOperation(operation, components, refused);
  }
  const webhooks = describeWebhooks(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Card payments',
      version: '1',
      description:
        'Amounts are integer US cents; times are UTC. Match `error.code`, never `error.message`. Calls come from ' +
        'your backend only. Every answer has a `Request-Id` for support, and `RateLimit` and `RateLimit-Policy` with the ' +
        'remaining quota (draft-ietf-httpapi-ratelimit-headers-10). `Key-Scopes` names the scopes of the key, or `full`. The samples use the client of an SDK: ' +
        '`import { CardPayments } from "@card-payments/sdk"; const cp = new CardPayments();` or ' +
        '`from card_payments import CardPayments; cp = CardPayments()`. The guide `/guides/every-call` makes them all in order.',
      contact: { name: 'The operator of this service', url: serverUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: Object.entries(chapters).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret API key of one environment: `cps_sandbox_…` or `cps_live_…`.',
        },
      },
      headers,
      parameters: shareParameters(paths),
      responses: { ...shareAnswers(paths), ...refused.responses, ...webhookResponses },
      schemas: components.schemas,
    },
  };
}

/** The codes of all refusals, each with its meaning. docs/errors.md. */
function errorCodes(): JsonObject {
  const meanings = Object.entries(refusals).map(([code, { message }]) => `\`${code}\`: ${message}`);
  return { type: 'string', enum: Object.keys(refusals), description: meanings.join('\n\n') };
}

function describeOperation(
  operation: Operation,
  components: Components,
  refused: RefusalResponses,
): JsonObject {
  const { id, summary, description, group, keyed, body, success, answer, csv } = operation;
  return {
    operationId: id,
    summary,
    description,
    tags: [group],
    'x-required-scope': requiredScope(operation),
    'x-codeSamples': codeSamples(operation),
    parameters: parametersOf(operation, components),
    ...(body
      ? {
          requestBody: {
            required: body.required,
            content: { 'application/json': { schema: components.bodyOf(body.schema, id) } },
          },
        }
      : {}),
    responses: {
      [String(success)]: {
        description: 'Success.',
        ...(keyed ? { headers: { 'Idempotent-Replayed': header('IdempotentReplayed') } } : {}),
        content: {
          'application/json': { schema: components.answerOf(answer) },
          ...(csv === undefined ? {} : { 'text/csv': { schema: { type: 'string', description: csv } } }),
        },
      },
      ...refused.of(operation),
    },
  };
}

function parametersOf(operation: Operation, components: Components): Json[] {
  const { path, idOf, keyed, query } = operation;
  const list: Json[] = [];
  if (path.includes('{id}')) {
    const schema: JsonObject =
      idOf === 'event' ? components.schemaOf(eventId(), 'parameter') : { type: 'string', format: 'uuid' };
    list.push({ name: 'id', in: 'path', required: true, schema });
  }
  if (keyed) {
    const { properties = {} } = components.schemaOf(IdempotencyKeyHeaders, 'parameter') as {
      properties?: JsonObject;
    };
    const schema = properties['idempotency-key'] ?? {};
    list.push({ name: 'Idempotency-Key', in: 'header', required: true, schema });
  }
  const { properties = {} }: { properties?: JsonObject } = query
    ? components.schemaOf(query, 'parameter')
    : {};
  for (const [name, schema] of Object.entries(properties)) {
    list.push({ name, in: 'query', schema });
  }
  return list;
}
