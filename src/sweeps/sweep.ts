import type { QueueName } from '../temporal/contract/ids.ts';

/** A periodic check, run by the process that leads it. ADR 0015. */
export interface Sweep {
  name: string;
  /** Workers with this role run it. */
  role: QueueName;
  everyMs: number;
  /**
   * Checks everything that is due. Calls `going` between two batches, and ends soon once it returns false.
   * Two runs may overlap without harm: leading only saves work. Writes are refused after another process
   * became the leader (ADR 0080).
   */
  run(going: () => boolean): Promise<void>;
}
