import { recoveries } from '../../domain/recovery.ts';
import type { JsonObject } from './json.ts';

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });

/** The headers of answers, as components. */
export const headers = {
  Recovery: {
    description: 'What to do next; `x-recovery` names the words of each answer.',
    required: true,
    schema: { type: 'string', enum: [...recoveries] },
  },
  IdempotentReplayed: text('`true` when an earlier answer is repeated.'),
  WwwAuthenticate: text('Always `Bearer`.'),
  RetryAfter: text('Whole seconds to wait.'),
} as const satisfies JsonObject;

/** Returns the reference to a header. */
export const header = (name: keyof typeof headers): JsonObject => ({ $ref: `#/components/headers/${name}` });
