import { EventEmitter } from 'node:events';
import proto from '@temporalio/proto';
import { watchEvictions } from '../../../src/worker/evictions.ts';
import type { FailedTask } from '../../../src/worker/temporal-logger.ts';

const { EvictionReason } = proto.coresdk.workflow_activation.RemoveFromCache;

it('reports a run that is removed from memory because its task failed, and no other', () => {
  const worker = { evictionsEmitter: new EventEmitter() };
  const failed: FailedTask[] = [];
  watchEvictions(worker, (task) => failed.push(task));
  const reasons = ['NONDETERMINISM', 'CACHE_FULL', 'LANG_FAIL', 'WORKFLOW_EXECUTION_ENDING'] as const;
  for (const reason of reasons) {
    worker.evictionsEmitter.emit('eviction', { runId: reason, evictJob: { reason: EvictionReason[reason] } });
  }
  expect(failed).toEqual([
    { runId: 'NONDETERMINISM', code: 'TMPRL1100' },
    { runId: 'LANG_FAIL', code: 'unknown' },
  ]);
});

it('refuses a worker that reports no evictions', () => {
  expect(() => watchEvictions({}, () => undefined)).toThrow('reports no evictions');
});
