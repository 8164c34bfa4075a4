import { isSameProcess } from '../scripts/lib/process-identity.mjs';
import { npmParent } from './npm-parent.ts';

/** Signals within this time are one Ctrl-C: npm and the terminal, which signals the group, both send it. */
const SAME_PRESS_MS = 1_000;
/** On Linux a check costs a small read, elsewhere a `ps`. */
const PARENT_POLL_MS = process.platform === 'linux' ? 250 : 2_000;

export type StopReason = 'SIGINT' | 'SIGTERM' | 'npm ended';

export interface StopSignals {
  /** Aborts at the first request to stop. */
  signal: AbortSignal;
  /** Resolves with the first request to stop. */
  requested: Promise<StopReason>;
}

/**
 * Turns signals, and the end of the npm process that started us, into one request to stop. Calls `onSecond`
 * at a second deliberate signal.
 */
export function listenForStop(onSecond: () => void): StopSignals {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const requested = new Promise<StopReason>((resolve) => {
    const request = (reason: StopReason): void => {
      if (firstAtMs === undefined) {
        firstAtMs = Date.now();
        controller.abort(new Error('stopping'));
        resolve(reason);
      } else if (reason !== 'npm ended' && Date.now() - firstAtMs > SAME_PRESS_MS) {
        onSecond();
      }
    };
    process.on('SIGINT', () => request('SIGINT'));
    process.on('SIGTERM', () => request('SIGTERM'));
    const npm = npmParent();
    if (npm === undefined) return;
    setInterval(() => {
      if (!isSameProcess(npm)) request('npm ended');
    }, PARENT_POLL_MS).unref();
  });
  return { signal: controller.signal, requested };
}
