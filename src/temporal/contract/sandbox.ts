import type { SandboxOrder, SandboxResult } from '../../domain/sandbox.ts';

/** Input of a sandbox order's workflow. `operationId`: the same for every repetition of the order. */
export interface SandboxWorkflowInput {
  operationId: string;
  order: SandboxOrder;
}

/** The sandbox order's workflow as its starters see it. */
export type SandboxWorkflow = (input: SandboxWorkflowInput) => Promise<SandboxResult>;
