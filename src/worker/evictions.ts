import { EventEmitter } from 'node:events';
import proto from '@temporalio/proto';
import type { FailedTask } from './temporal-logger.ts';

const { EvictionReason } = proto.coresdk.workflow_activation.RemoveFromCache;

/** The reasons for which the SDK removes a run whose task failed from memory, with the code of an alert. */
const failures: ReadonlyMap<number, string> = new Map([
  [EvictionReason.NONDETERMINISM, 'TMPRL1100'],
  [EvictionReason.LANG_FAIL, 'unknown'],
]);

interface Eviction {
  runId: string;
  evictJob: { reason?: number | null };
}

/**
 * Calls `onFailedTask` for each try of a workflow task that fails in a worker of the SDK. The SDK's log names
 * only the first try: when the worker that had the first try died before it answered, the log names none.
 * Throws when the worker reports no evictions, as a later version of the SDK may do.
 */
export function watchEvictions(worker: object, onFailedTask: (task: FailedTask) => void): void {
  const evictions: unknown = Reflect.get(worker, 'evictionsEmitter');
  if (!(evictions instanceof EventEmitter)) throw new Error('the worker of the SDK reports no evictions');
  evictions.on('eviction', ({ runId, evictJob }: Eviction) => {
    const code = failures.get(evictJob.reason ?? 0);
    if (code !== undefined) onFailedTask({ runId, code });
  });
}
