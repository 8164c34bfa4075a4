import type { Latencies } from './percentiles.ts';
import type { Role } from './processor-time.ts';

/** Processor time per call in ms: of each role, and of all together. Without the load generator's. */
export type ProcessorTime = Record<Role, number> & { sum: number };

/** What one measured step gave. Per call means: of all calls, whatever their answer. */
export interface Figures {
  section: string;
  name: string;
  /** Callers at once, each with its next call when the last was answered; null at a constant rate. */
  callers: number | null;
  calls: number;
  /** How many answers had which outcome: `ok`, or a status and code that was not hoped for. */
  outcomes: Record<string, number>;
  perSecond: number;
  /** The same, including the work after the last answer, until the stack is at rest. */
  perSecondToRest: number;
  latencyMs: Latencies;
  /** Null on a system without /proc. Idle work is subtracted. */
  processorMs: ProcessorTime | null;
  /** The service's statements, without BEGIN and COMMIT. Idle ones subtracted, as in all below. */
  statements: number | null;
  /** Transactions that wrote, in the whole cluster: Temporal's too when it lives there. */
  writes: number | null;
  walKib: number | null;
  /** Temporal's statements; null when it does not live in this PostgreSQL. */
  temporalStatements: number | null;
  /** Events that a call adds to its workflow's history. */
  temporalEvents: number | null;
  floor: string | null;
  ratio: Ratio | null;
}

/** Above 1 is better than the floor in both. */
export interface Ratio {
  /** Calls per second, of those of the floor. */
  perSecond: number;
  /** Processor time of the floor, of that of the call. */
  processorTime: number | null;
}

/** Returns how a step compares with its floor, measured in the same run with the same callers. */
export function ratioTo(
  floor: Pick<Figures, 'perSecond' | 'processorMs'>,
  step: Pick<Figures, 'perSecond' | 'processorMs'>,
): Ratio {
  const [theirs, ours] = [floor.processorMs?.sum, step.processorMs?.sum];
  return {
    perSecond: step.perSecond / floor.perSecond,
    processorTime: theirs === undefined || ours === undefined || ours <= 0 ? null : theirs / ours,
  };
}
