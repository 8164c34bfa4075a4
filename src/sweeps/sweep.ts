import type { QueueName } from '../temporal/contract/ids.ts';

/** One of the periodic checks, run by the process that leads it. ADR 0015. */
export interface Sweep {
  name: string;
  /** Workers with this role run it. */
  role: QueueName;
  everyMs: number;
  /**
   * Checks everything that is due. Calls `going` between two batches, and ends soon once it is false. Any two
   * runs may overlap without harm: leading only saves work. What it writes after another process became the
   * leader is refused (ADR 0080).
   */
  run(going: () => boolean): Promise<void>;
}
