import type { JsonObject } from './json.ts';

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });

/** The headers of answers, as components. */
export const headers = {
  IdempotentReplayed: text('`true` when an earlier answer is repeated.'),
  WwwAuthenticate: text('Always `Bearer`.'),
  RetryAfter: text('Whole seconds to wait.'),
} as const satisfies JsonObject;

/** Returns the reference to a header. */
export const header = (name: keyof typeof headers): JsonObject => ({ $ref: `#/components/headers/${name}` });
