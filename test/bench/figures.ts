import type { Latencies } from './percentiles.ts';
import type { Role } from './processor-time.ts';

/** Processor time per call in ms, of each role and of all together. It excludes the load generator. */
export type ProcessorTime = Record<Role, number> & { sum: number };

/** The figures of one measured step. Values per call are means over all calls, whatever their answer. */
export interface Figures {
  section: string;
  name: string;
  /** Concurrent callers, each of which makes its next call after the last answer; null at a constant rate. */
  callers: number | null;
  calls: number;
  /** Number of answers by outcome: `ok`, or an unwanted status and code. */
  outcomes: Record<string, number>;
  perSecond: number;
  /** Calls per second, including the work after the last answer until the stack is at rest. */
  perSecondToRest: number;
  latencyMs: Latencies;
  /** Null on a system without /proc. Work of an idle stack is subtracted. */
  processorMs: ProcessorTime | null;
  /** The service's statements without BEGIN and COMMIT. Idle ones are subtracted, as in all fields below. */
  statements: number | null;
  /** Writing transactions in the whole cluster, including Temporal's when its data is there. */
  writes: number | null;
  walKib: number | null;
  /** Temporal's statements; null when its data is not in this PostgreSQL. */
  temporalStatements: number | null;
  /** Events that a call adds to its workflow's history. */
  temporalEvents: number | null;
  /** Webhook deliveries that reached an endpoint, per call. */
  deliveries: number | null;
  /**
   * Share of the machine, 0 to 1, that other processes than the stack's used; null on a system without /proc.
   */
  othersShare: number | null;
  floor: string | null;
  ratio: Ratio | null;
}

/** The ratios to the floor. Above 1 is better than the floor in both. */
export interface Ratio {
  /** Calls per second, divided by those of the floor. */
  perSecond: number;
  /** Processor time of the floor, divided by that of the call. */
  processorTime: number | null;
}

/** When other processes use more than this share of the machine, the figures are not meaningful. */
const MAX_OTHERS_SHARE = 0.1;

/** Whether other processes used too much of the machine for meaningful figures. */
export const isDisturbed = ({ othersShare }: Pick<Figures, 'othersShare'>): boolean =>
  othersShare !== null && othersShare > MAX_OTHERS_SHARE;

/**
 * Returns the ratios of a step to its floor, measured in the same run with the same callers. Null, for no
 * verdict, when other processes used part of the machine during either.
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
