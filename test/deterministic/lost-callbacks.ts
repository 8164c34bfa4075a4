import { z } from 'zod';
import type { Scheduler } from './scheduler.ts';

/** How often a callback of the network about a charge never arrives. */
const share = 0.05;

const callback = z.object({ type: z.literal('charge.updated'), key: z.string() });

/**
 * Returns whether a request is a callback of the network that never arrives, although the network takes it
 * for delivered. `mayBeLost`: of which charge a callback may be lost. A change of a charge that is over is
 * reported by nothing else.
 */
export function isLostCallback(
  { url, body }: { url: URL; body: string },
  mayBeLost: (chargeKey: string) => boolean,
  scheduler: Scheduler,
): boolean {
  if (url.pathname !== '/callbacks/network') return false;
  const parsed = callback.safeParse(JSON.parse(body));
  return parsed.success && mayBeLost(parsed.data.key) && scheduler.draws('callback never arrives', share);
}
