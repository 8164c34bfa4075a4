import type { DueCondition } from '../db/server/due-work.ts';
import type { QueueName } from '../temporal/contract/ids.ts';

/** Returns whether a condition held when the turn began. */
export type IsDue = (condition: DueCondition) => boolean;

/** A periodic check, run by the process that leads it. ADR 0015. */
export interface Sweep {
  name: string;
  /** Workers with this role run it. */
  role: QueueName;
  everyMs: number;
  /**
   * Conditions of parts of a run. PostgreSQL checks those of all sweeps that begin at the same time with one
   * statement, so that an idle sweep sends none of its own.
   */
  conditions?: readonly DueCondition[];
  /**
   * The sweep only reads, and no write depends on what it reads. It therefore runs without the fence of its
   * term and without reading PostgreSQL's time.
   */
  readsOnly?: true;
  /**
   * Checks everything that is due. Calls `going` between two batches, and ends soon once it returns false.
   * Two runs may overlap without harm: leading only saves work. Writes are refused after another process
   * became the leader (ADR 0080). `isDue`: which of the conditions hold; all of them if it is absent.
   */
  run(going: () => boolean, isDue?: IsDue): Promise<void>;
}

/** The answer for a run without a due check: every condition counts as true. */
export const everythingIsDue: IsDue = () => true;
