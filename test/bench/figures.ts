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
  /** Webhook deliveries that reached an endpoint, per call. */
  deliveries: number | null;
  /**
   * Share of the machine, 0 to 1, that was busy with processes other than the stack's; null on a system
   * without /proc.
   */
  othersShare: number | null;
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

/** Above this share of the machine for other processes, figures say nothing. */
const MAX_OTHERS_SHARE = 0.1;

/** Whether other processes took more of the machine than figures bear. */
export const isDisturbed = ({ othersShare }: Pick<Figures, 'othersShare'>): boolean =>
  othersShare !== null && othersShare > MAX_OTHERS_SHARE;

/**
 * Returns how a step compares with its floor, measured in the same run with the same callers; null, no
 * verdict, when other processes took part of the machine in either.
 */
export function ratioTo(
  floor: Pick<Figures, 'perSecond' | 'processorMs' | 'othersShare'>,
  step: Pick<Figures, 'perSecond' | 'processorMs' | 'othersShare'>,
): Ratio | null {
  const [theirs, ours] = [floor.processorMs?.sum, step.processorMs?.sum];
  if (isDisturbed(floor) || isDisturbed(step)) return null;
  return {
    perSecond: step.perSecond / floor.perSecond,
    processorTime: theirs === undefined || ours === undefined || ours <= 0 ? null : theirs / ours,
  };
}
