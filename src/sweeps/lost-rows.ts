import type { LostAttempts } from '../activities/restore-attempts.ts';
import { type KnownAttempts, loadKnownAttempts } from '../db/payments/lost-attempts.ts';
import type { Database } from '../db/server/database.ts';
import type { ReadRunProgress, RunProgress } from '../temporal/clients/run-progress.ts';

/** Finds payments whose rows lost commits, and restores them. ADR 0038. */
export interface LostRows {
  readProgress: ReadRunProgress;
  /**
   * Restores the attempts of a payment whose rows are behind its latest run, or whose abandoned reservation
   * the provider knows. Returns whether it did: then a run must resume from the rows.
   */
  restore(
    paymentId: string,
    progress: RunProgress | null,
    abandoned: { attemptNo: number } | null,
  ): Promise<boolean>;
}

/** Returns the finder of lost rows. Faults of PostgreSQL, Temporal and the provider are thrown. */
export function createLostRows(deps: {
  database: Database;
  readProgress: ReadRunProgress;
  attempts: LostAttempts;
}): LostRows {
  const { database, readProgress, attempts } = deps;
  return {
    readProgress,
    restore: async (paymentId, progress, abandoned) => {
      // Read after the run, which commits before it shows its state.
      const rows = await loadKnownAttempts(database, paymentId);
      if (rows === null || rows.isFinal) return false;
      if (progress !== null && isBehind(rows, progress)) {
        const { lastAttemptNo, method, seq } = progress;
        await attempts.restore(paymentId, { lastAttemptNo, method, seq: seq ?? 0 });
        return true;
      }
      if (abandoned === null) return false;
      const { attemptNo } = abandoned;
      if (!(await attempts.isKnownToProvider({ paymentId, attemptNo }))) return false;
      await attempts.restore(paymentId, { lastAttemptNo: attemptNo, method: null, seq: 0 });
      return true;
    },
  };
}

/** Returns whether the rows are older than the run's commits, or lack an attempt that the run made. */
function isBehind(rows: KnownAttempts, progress: RunProgress): boolean {
  if (progress.hasCompleted) return true;
  if (progress.seq !== null && progress.seq > rows.stateSeq) return true;
  if (progress.lastAttemptNo === 0) return false;
  const last = rows.attempts.find(({ attemptNo }) => attemptNo === progress.lastAttemptNo);
  if (last === undefined) return true;
  // A run that works on the attempt soon claims it, or resolves it by itself.
  return progress.openStatus !== 'processing' && last.status === 'processing' && !last.isClaimed;
}
