import type { SweepAlerts } from './alerts.ts';
import { type CheckedItem, type CheckQueue, processDue } from './process-due.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** Returns a sweep that checks what is due in one queue, and has the queue's name. */
export const createQueueSweep = <Item extends CheckedItem>(
  role: Sweep['role'],
  queue: CheckQueue<Item>,
  deps: { alerts: SweepAlerts; now: () => number; everyMs: number },
): Sweep => ({
  name: queue.name,
  role,
  everyMs: deps.everyMs,
  conditions: [queue.condition],
  run: async (going, isDue = everythingIsDue) => {
    await processDue(queue, { now: deps.now, alerts: deps.alerts, going, isDue });
  },
});
