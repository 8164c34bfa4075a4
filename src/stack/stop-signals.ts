/** Ctrl-C reaches us twice: from the terminal, which signals the whole group, and again from npm. */
const SAME_PRESS_MS = 1_000;
const PARENT_POLL_MS = 250;

export type StopReason = 'SIGINT' | 'SIGTERM' | 'parent ended';

export interface StopSignals {
  /** Aborted at the first request to stop. */
  signal: AbortSignal;
  /** Resolves with the first request to stop. */
  requested: Promise<StopReason>;
}

/**
 * Turns signals into one request to stop; a second deliberate one calls `onSecond`. Started by npm, the end of npm is a
 * request too: with `kill -9` it has no chance to pass anything on.
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
      } else if (reason !== 'parent ended' && Date.now() - firstAtMs > SAME_PRESS_MS) {
        onSecond();
      }
    };
    process.on('SIGINT', () => request('SIGINT'));
    process.on('SIGTERM', () => request('SIGTERM'));
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) request('parent ended');
    }, PARENT_POLL_MS).unref();
  });
  return { signal: controller.signal, requested };
}
