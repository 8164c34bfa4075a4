import type * as z from 'zod';
import type { RefusalCode } from '../../domain/refusals.ts';
import {
  SandboxChallengeBody,
  SandboxClockBody,
  SandboxDisputeBody,
  SandboxFaultByTarget,
  SandboxOutcomeBody,
  SandboxRefundBody,
  SandboxResolveBody,
} from './bodies.ts';
import { dataOf } from '../http/schema.ts';
import { Dispute } from '../disputes/schema.ts';
import { Payment } from '../payments/schema.ts';
import { Refund } from '../refunds/schema.ts';
import { SandboxFaultOrdered } from './schema.ts';
import { type Operation, keyCodes } from '../http/operation.ts';

/**
 * Describes one simulation endpoint: POST, keyed, for sandbox keys only; a live key gets 404.
 * docs/sandbox.md, AMB-48.
 */
const order = (
  id: string,
  path: string,
  [summary, description]: readonly [summary: string, description: string],
  [body, answer]: readonly [body: z.ZodType, answer: z.ZodType],
  more: { success?: 200 | 201; codes?: readonly RefusalCode[] } = {},
): Operation => ({
  id,
  method: 'post',
  path: `/v1/sandbox/${path}`,
  group: 'Sandbox',
  summary,
  description,
  keyed: true,
  body: { schema: body, required: true },
  success: more.success ?? 200,
  answer: dataOf(answer),
  codes: [...keyCodes, 'not_found', 'sandbox_not_applicable', 'validation_failed', ...(more.codes ?? [])],
});

/** The simulation endpoints. docs/sandbox.md. */
export const sandboxOperations: readonly Operation[] = [
  order(
    'orderOutcome',
    'payments/{id}/outcome',
    [
      'Set the outcome of a payment',
      'Decides the attempt that is under way, or makes one for the customer, without a card.',
    ],
    [SandboxOutcomeBody, Payment],
    {
      codes: [
        'payment_in_progress',
        'action_required',
        'result_pending',
        'confirmation_in_progress',
        'confirmation_not_required',
        'checkout_expired',
        'attempts_exhausted',
      ],
    },
  ),
  order(
    'answerChallenge',
    'payments/{id}/challenge',
    ['Answer a challenge for the customer', 'Does what the customer would do on the page of the challenge.'],
    [SandboxChallengeBody, Payment],
    {
      codes: [
        'confirmation_in_progress',
        'confirmation_not_required',
        'result_pending',
        'checkout_expired',
        'attempts_exhausted',
      ],
    },
  ),
  order(
    'advanceClock',
    'payments/{id}/advance-clock',
    [
      "Move a payment's deadlines nearer",
      'Ends the capture access of a new payment by 600 seconds, its checkout by 1800.',
    ],
    [SandboxClockBody, Payment],
    {
      codes: ['checkout_expired', 'attempts_exhausted'],
    },
  ),
  order(
    'openDispute',
    'payments/{id}/disputes',
    ['Open a dispute', 'The network opens a dispute of a paid payment.'],
    [SandboxDisputeBody, Dispute],
    {
      success: 201,
    },
  ),
  order(
    'resolveDispute',
    'disputes/{id}/resolve',
    ['Decide a dispute', 'The decision of the network, also before evidence was submitted.'],
    [SandboxResolveBody, Dispute],
    {
      codes: ['dispute_closed'],
    },
  ),
  order(
    'settleRefund',
    'refunds/{id}/outcome',
    [
      'Decide a refund',
      'Submits a refund that could still be canceled. `failed` after `succeeded` is a late failure.',
    ],
    [SandboxRefundBody, Refund],
  ),
  order(
    'orderFault',
    'faults',
    [
      'Order trouble of a dependency',
      'The next calls to this dependency fail in the given way, for all of your payments or for one.',
    ],
    [SandboxFaultByTarget, SandboxFaultOrdered],
  ),
];
