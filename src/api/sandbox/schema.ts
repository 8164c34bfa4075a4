import * as z from 'zod';
import { faultModes, faultTargets } from '../../operations/sandbox/faults.ts';
import { uuid } from '../http/schema.ts';

/** The answer of POST /v1/sandbox/faults. docs/sandbox.md. */
export const SandboxFaultOrdered = z
  .strictObject({
    target: z.enum(faultTargets),
    mode: z.enum(faultModes),
    count: z.int().min(1).max(1_000),
    paymentId: uuid().nullable(),
  })
  .meta({
    id: 'SandboxFaultOrdered',
    description: 'The fault that was injected into the next calls.',
    examples: [{ target: 'network', mode: 'lostResponse', count: 1, paymentId: null }],
  });
export type SandboxFaultOrdered = z.infer<typeof SandboxFaultOrdered>;
