import * as z from 'zod';
import { disputeStages } from '../../domain/dispute.ts';
import { paymentMethods } from '../../domain/statuses.ts';
import { commonFaultModes, faultModes, faultTargets } from '../../operations/sandbox/faults.ts';
import { expected, text, oneOf } from '../http/fields.ts';

/*
 * The bodies of the sandbox endpoints (docs/sandbox.md). They are strict; faults are answered 422
 * validation_failed.
 */

const integer = (min: number, max: number) => {
  const rule = `an integer from ${min} to ${max}`;
  return z
    .int({ error: expected(rule) })
    .min(min, { error: `must be ${rule}` })
    .max(max, { error: `must be ${rule}` });
};

const failureCode = z
  .string({ error: expected('a string') })
  .regex(/^[a-z0-9_]{1,128}$/, { error: 'must be 1 to 128 lower-case letters, digits and underscores' });

const object = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z.strictObject(shape, { error: expected('a JSON object') }).meta({ id, description });

const daySeconds = 86_400;

export const SandboxOutcomeBody = object(
  'SandboxOutcome',
  'The outcome of the attempt that is under way, or of one made in the customer’s place.',
  {
    outcome: oneOf(['paid', 'failed', 'requiresAction', 'processing', 'unexpectedCapture']).meta({
      description: '`unexpectedCapture`: the network takes the money of the latest attempt, which failed.',
    }),
    method: oneOf(paymentMethods).optional(),
    failureCode: failureCode
      .meta({
        description: 'With `failed`. Without a code, or with a final one, the payment fails permanently.',
      })
      .optional(),
    afterSeconds: integer(0, daySeconds).optional(),
  },
);

export const SandboxChallengeBody = object('SandboxChallenge', 'What the customer does with the challenge.', {
  result: oneOf(['authenticated', 'failed', 'abandoned']),
});

export const SandboxClockBody = object('SandboxClock', 'Moves the deadlines of one payment nearer.', {
  bySeconds: integer(1, daySeconds),
});

export const SandboxDisputeBody = object('SandboxDispute', 'A dispute the customer opens.', {
  reason: text(1, 128),
  stage: oneOf(disputeStages).optional(),
  amountCents: integer(1, 100_000_000).optional(),
  dueInSeconds: integer(1, 90 * daySeconds).optional(),
});

export const SandboxResolveBody = object('SandboxResolve', 'How the network decides a dispute.', {
  outcome: oneOf(['won', 'lost', 'withdrawn', 'escalated']).meta({
    description: '`escalated`: the dispute goes to its next stage, and asks for evidence again.',
  }),
});

export const SandboxRefundBody = object('SandboxRefund', 'What becomes of a refund.', {
  outcome: oneOf(['succeeded', 'failed']),
  failureCode: failureCode.optional(),
});

const calls = {
  count: integer(1, 1_000).default(1),
  paymentId: z
    .string({ error: expected('a UUID') })
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, { error: 'must be a UUID' })
    .toLowerCase()
    .meta({ format: 'uuid' })
    .optional(),
};

/** Body of a fault to inject. The operation refuses a mode that the target does not have. */
export const SandboxFaultBody = z.strictObject(
  { target: oneOf(faultTargets), mode: oneOf(faultModes), ...calls },
  { error: expected('a JSON object') },
);

const faultOf = (
  id: string,
  target: (typeof faultTargets)[number],
  modes: typeof faultModes | typeof commonFaultModes,
) =>
  object(id, `A fault in the next calls to the ${target}.`, {
    target: z.literal(target),
    mode: z.enum(modes),
    ...calls,
  });

/** The documented body of POST /v1/sandbox/faults: each target with its modes. */
export const SandboxFaultByTarget = z
  .discriminatedUnion('target', [
    faultOf('VaultFault', 'vault', commonFaultModes),
    faultOf('NetworkFault', 'network', faultModes),
    faultOf('WebhookFault', 'webhook', commonFaultModes),
  ])
  .meta({ id: 'SandboxFault', description: 'A fault in the next calls to one dependency.' });
