import type * as z from 'zod';
import { Refusal } from '../../domain/refusals.ts';

/**
 * A refused input. `field` is a name out of our own tables, `message` never quotes what was sent: both may be
 * shown and logged. Spec: Errors > body shape; ERR-02, SECRET-10.
 */
export interface InputFailure {
  ok: false;
  field: string;
  message: string;
}

export const failure = (field: string, message: string): InputFailure => ({ ok: false, field, message });

/**
 * The one fault of a refused body that is reported: the first in the order the schema declares its fields,
 * unknown fields last (AMB-19). Zod lists issues in that order, except that an unknown field of a nested
 * object precedes the faults of later fields. Unknown fields are reported as `body`, or as the nested object
 * that holds them, never by their own name.
 */
export function firstFault(error: z.ZodError): InputFailure {
  const issue = error.issues.find((one) => one.code !== 'unrecognized_keys') ?? error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
  // Zod's own text for unknown fields quotes their names.
  if (issue === undefined || issue.code === 'unrecognized_keys') {
    return failure(field, `${field} has an unknown field`);
  }
  return failure(field, `${field} ${issue.message}`);
}

/** Returns what was read. Throws the refusal with this code when nothing could be. */
export function orRefuse<Read extends { ok: true }>(
  read: Read | InputFailure,
  code: 'invalid_request' | 'invalid_query' | 'validation_failed',
): Read {
  if (!read.ok) throw new Refusal(code, { field: read.field, message: read.message });
  return read;
}

/** Returns a body as its schema reads it, or its first fault. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { ok: true; body: z.output<Schema> } | InputFailure {
  const parsed = schema.safeParse(body);
  return parsed.success ? { ok: true, body: parsed.data } : firstFault(parsed.error);
}
