import * as z from 'zod';
import { recoveryOf } from '../../domain/recovery.ts';
import { type RefusalCode, refusals } from '../../domain/refusals.ts';
import { ErrorBody } from '../http/error-schema.ts';
import { IdempotencyKeyHeaders } from '../http/request-schema.ts';
import { brandingOperations } from '../branding/openapi.ts';
import { disputeOperations } from '../disputes/openapi.ts';
import { eventOperations } from '../events/openapi.ts';
import { eventId } from '../events/schema.ts';
import { refundOperations } from '../refunds/openapi.ts';
import { type Operation, everywhere } from '../http/operation.ts';
import { paymentOperations } from '../payments/openapi.ts';
import { searchOperations } from '../search/openapi.ts';
import { sandboxOperations } from '../sandbox/openapi.ts';
import { webhookEndpointOperations } from '../webhook-endpoints/openapi.ts';

/** Any JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Every endpoint of `/v1`, in the order of the reference. */
export const operations: readonly Operation[] = [
  ...paymentOperations,
  ...searchOperations,
  ...refundOperations,
  ...disputeOperations,
  ...webhookEndpointOperations,
  ...eventOperations,
  ...brandingOperations,
  ...sandboxOperations,
];

export const errorSchemaRef = '#/components/schemas/Error';

/**
 * Returns the OpenAPI 3.1 document of the merchant API, made of the schemas that the routes use. Named
 * schemas become components. `serverUrl`: address of the API, no trailing slash.
 */
export function openApiDocument(serverUrl: string): JsonObject {
  const schemas: JsonObject = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonObject => toSchema(schema, io, schemas);
  schemaOf(ErrorBody, 'output');
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    const known = (paths[operation.path] ??= {});
    known[operation.method] = describeOperation(operation, schemaOf);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Card payments',
      version: '1',
      description:
        'Amounts are integer US cents; times are UTC. Match `error.code`, never `error.message`. Calls come from your backend only.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret API key of one environment: `cps_sandbox_…` or `cps_live_…`.',
        },
      },
      schemas,
    },
  };
}

function describeOperation(
  operation: Operation,
  schemaOf: (schema: z.ZodType, io: 'input' | 'output') => JsonObject,
): JsonObject {
  const { id, summary, description, group, body, success, answer, csv } = operation;
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [group],
    parameters: parametersOf(operation, schemaOf),
    ...(body
      ? {
          requestBody: {
            required: body.required,
            content: { 'application/json': { schema: schemaOf(body.schema, 'input') } },
          },
        }
      : {}),
    responses: {
      [String(success)]: {
        description: 'Success.',
        headers: commonHeaders(operation),
        content: {
          'application/json': { schema: schemaOf(answer, 'output') },
          ...(csv === undefined ? {} : { 'text/csv': { schema: { type: 'string', description: csv } } }),
        },
      },
      ...refusalsOf(operation),
    },
  };
}

function parametersOf(
  operation: Operation,
  schemaOf: (schema: z.ZodType, io: 'input' | 'output') => JsonObject,
): Json[] {
  const parameters: Json[] = [];
  if (operation.path.includes('{id}')) {
    const schema: JsonObject =
      operation.idOf === 'event' ? schemaOf(eventId(), 'input') : { type: 'string', format: 'uuid' };
    parameters.push({ name: 'id', in: 'path', required: true, schema });
  }
  if (operation.keyed) {
    const { properties = {} } = schemaOf(IdempotencyKeyHeaders, 'input') as { properties?: JsonObject };
    const schema = properties['idempotency-key'] ?? {};
    parameters.push({ name: 'Idempotency-Key', in: 'header', required: true, schema });
  }
  const { properties = {} }: { properties?: JsonObject } = operation.query
    ? schemaOf(operation.query, 'input')
    : {};
  for (const [name, schema] of Object.entries(properties)) {
    parameters.push({ name, in: 'query', required: false, schema });
  }
  return parameters;
}

/** Returns one answer per status, with the codes of the operation. docs/errors.md. */
function refusalsOf(operation: Operation): JsonObject {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of [...everywhere, ...operation.codes]) {
    const { status } = refusals[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${refusals[code].message}`).join('\n\n'),
          headers: {
            'Request-Id': text('The id of this call; quote it to support.'),
            Recovery: recoveryHeader(operation, codes),
            ...(status === 401 ? { 'WWW-Authenticate': text('Always `Bearer`.') } : {}),
            ...(status === 429 || status === 503 ? { 'Retry-After': text('Whole seconds to wait.') } : {}),
          },
          content: {
            'application/json': {
              schema: {
                allOf: [
                  { $ref: errorSchemaRef },
                  { properties: { error: { properties: { code: { enum: codes } } } } },
                ],
              },
            },
          },
        },
      ]),
  );
}

/** Returns the header with the next step after these refusals of an operation. */
function recoveryHeader({ id, keyed }: Operation, codes: readonly RefusalCode[]): JsonObject {
  const kind = id === 'pay' || id === 'confirm' ? 'attempt' : keyed ? 'keyed' : 'other';
  return {
    description: 'What to do next.',
    required: true,
    schema: { type: 'string', enum: [...new Set(codes.map((code) => recoveryOf(code, kind)))] },
  };
}

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });

function commonHeaders(operation: Operation): JsonObject {
  return {
    'Request-Id': text('The id of this call; quote it to support.'),
    RateLimit: text('The remaining quota (draft-ietf-httpapi-ratelimit-headers-10).'),
    'RateLimit-Policy': text('The quota and its window in seconds.'),
    ...(operation.keyed ? { 'Idempotent-Replayed': text('`true` when an earlier answer is repeated.') } : {}),
  };
}

/** A zod schema as JSON Schema, with every named part moved to the components. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', components: JsonObject): JsonObject {
  const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  }) as JsonObject;
  const { $defs = {}, ...root } = rewritten(converted) as JsonObject & { $defs?: JsonObject };
  for (const [name, part] of Object.entries($defs)) components[name] = withoutId(part);
  if (typeof root['id'] !== 'string') return root;
  components[root['id']] = withoutId(root);
  return { $ref: `#/components/schemas/${root['id']}` };
}

/** References into a schema's own definitions become references into the components. */
function rewritten(value: Json): Json {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : rewritten(member),
    ]),
  );
}

function withoutId(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const { id: _name, ...rest } = schema;
  return rest;
}
