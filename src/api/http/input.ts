import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { Refusal } from '../../domain/refusals.ts';
import { unknownName } from '../../domain/sent-names.ts';
import { bodyBytes } from '../../http/request.ts';
import { emptyObject } from './fields.ts';
import { StrictJsonError, TooManyValuesError, parseStrictJson } from './strict-json.ts';

/**
 * A refused input. `field` is a name from this service's own schemas; `message` repeats no value and only
 * harmless names (ADR 0033). Spec: Errors > body shape; ERR-02, SECRET-10.
 */
export interface InputFailure {
  ok: false;
  field: string;
  message: string;
}

export const failure = (field: string, message: string): InputFailure => ({ ok: false, field, message });

/**
 * Returns the one fault of a refused body that is reported: the first in the order in which the schema
 * declares its fields, unknown fields last (AMB-19). Zod lists issues in that order, except that an unknown
 * field of a nested object precedes the faults of later fields. For an unknown field, `field` is `body` or
 * the nested object that holds it; the message names the unknown field and the nearest field of `schema`.
 */
export function firstFault(error: z.ZodError, schema?: z.ZodType): InputFailure {
  const issue = error.issues.find((one) => one.code !== 'unrecognized_keys') ?? error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
  if (issue?.code !== 'unrecognized_keys') {
    return failure(field, issue === undefined ? 'The body is invalid.' : `${field} ${issue.message}`);
  }
  const [name = ''] = issue.keys;
  return failure(
    field,
    unknownName({
      kind: 'field',
      name,
      known: fieldNames(schema, issue.path),
      holder: field === 'body' ? undefined : field,
    }),
  );
}

/** Returns the names of the fields of the object at a path of a schema; empty if it is not an object. */
function fieldNames(schema: z.core.$ZodType | undefined, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return fieldNames(schema.unwrap(), path);
  }
  const [name, ...rest] = path;
  if (schema instanceof z.ZodArray) return name === undefined ? [] : fieldNames(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return name === undefined ? Object.keys(schema.shape) : fieldNames(schema.shape[String(name)], rest);
}

/** Returns the parsed input. Throws a refusal with this code if the input is invalid. */
export function orRefuse<Read extends { ok: true }>(
  read: Read | InputFailure,
  code: 'invalid_request' | 'invalid_query' | 'validation_failed',
): Read {
  if (!read.ok) throw new Refusal(code, { field: read.field, message: read.message });
  return read;
}

/** Returns a body parsed by its schema, or its first fault. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { ok: true; body: z.output<Schema> } | InputFailure {
  const parsed = schema.safeParse(body);
  return parsed.success ? { ok: true, body: parsed.data } : firstFault(parsed.error, schema);
}

/**
 * Returns the body as strictly parsed JSON. Refuses: invalid_request (400) for another content type or
 * malformed JSON. Throws TooManyValuesError if the route sets its own bound.
 */
export function jsonBody(request: FastifyRequest, bounds: { maxValues?: number } = {}): unknown {
  if (!isJsonContentType(request.headers['content-type'])) {
    throw new Refusal('invalid_request', { message: 'The Content-Type must be application/json.' });
  }
  try {
    return parseStrictJson(bodyBytes(request) ?? new Uint8Array(), bounds);
  } catch (error) {
    if (error instanceof TooManyValuesError && bounds.maxValues !== undefined) throw error;
    if (error instanceof StrictJsonError) throw new Refusal('invalid_request', { message: error.message });
    throw error;
  }
}

// RFC 9110, 5.6.2 and 5.6.4. Each step consumes what it matches, so the whole match is linear.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = new RegExp(`[ \\t]*;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?`, 'y');

/**
 * Returns whether a Content-Type header announces a JSON body that this service reads: exactly
 * application/json. Parameters are allowed, but a charset only if it is utf-8. A missing header is not
 * guessed. Spec: silent, AMB-26.
 */
export function isJsonContentType(header: string | undefined): boolean {
  const type = /^application\/json/i.exec(header ?? '')?.[0];
  if (header === undefined || type === undefined) return false;
  let at = type.length;
  for (;;) {
    parameter.lastIndex = at;
    const found = parameter.exec(header);
    if (found === null) break;
    const value = found[2] ?? found[3]?.replaceAll(/\\(.)/g, '$1');
    if (found[1]?.toLowerCase() === 'charset' && value?.toLowerCase() !== 'utf-8') return false;
    at = parameter.lastIndex;
  }
  return /^[ \t]*$/.test(header.slice(at));
}

/**
 * Accepts the body of an operation that has none: no bytes, or `{}`, because many clients cannot send an
 * empty body. The content type does not matter. Every fault is reported for `body` and answered 400
 * invalid_request.
 * Spec: POST /v1/payments/{id}/capture; CAPTURE-02, AMB-26.
 */
export function parseEmptyBody(bytes: Uint8Array | undefined): { ok: true } | InputFailure {
  if (bytes === undefined || bytes.length === 0) return { ok: true };
  try {
    const parsed = emptyObject.safeParse(parseStrictJson(bytes));
    return parsed.success ? { ok: true } : firstFault(parsed.error);
  } catch (error) {
    if (error instanceof StrictJsonError) return failure('body', error.message);
    throw error;
  }
}

/** Refuses a body that is neither missing nor `{}`: invalid_request (400). */
export function requireEmptyBody(request: FastifyRequest): void {
  orRefuse(parseEmptyBody(bodyBytes(request)), 'invalid_request');
}

/** Returns the Idempotency-Key. Refuses: invalid_request (400). */
export function idempotencyKey(request: FastifyRequest): string {
  const parsed = parseIdempotencyKey(request.raw.rawHeaders);
  if (!parsed.ok) throw new Refusal('invalid_request', { message: parsed.message });
  return parsed.key;
}

/** Spec: Limits > Idempotency-Key: 16-255 visible ASCII characters. */
const visibleAscii = /^[\x21-\x7e]{16,255}$/;

/**
 * Reads the Idempotency-Key from Node's raw headers (name, value, name, value …). There must be exactly one,
 * of 16 to 255 bytes 0x21-0x7E. Parsed headers would join repeated ones into a key that was never sent. The
 * message never quotes the key. Spec: POST /v1/payments; IDEM-01 to -03.
 */
export function parseIdempotencyKey(
  rawHeaders: readonly string[],
): { ok: true; key: string } | { ok: false; message: string } {
  const keys = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'idempotency-key',
  );
  const [key] = keys;
  if (key === undefined) return { ok: false, message: 'The Idempotency-Key header is required.' };
  if (keys.length > 1) return { ok: false, message: 'Only one Idempotency-Key header is allowed.' };
  if (!visibleAscii.test(key)) {
    return { ok: false, message: 'The Idempotency-Key header must be 16 to 255 visible ASCII characters.' };
  }
  return { ok: true, key };
}
