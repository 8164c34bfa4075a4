import { APIAbortError, APITimeoutError } from './errors.ts';

/**
 * Runs a call with a signal that aborts after `timeoutMs` or with the caller's signal. It then throws
 * APITimeoutError or APIAbortError.
 */
export async function withTimeLimit<T>(
  limits: { timeoutMs: number; signal?: AbortSignal | undefined },
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal } = limits;
  throwIfAborted(signal);
  const controller = new AbortController();
  let ended: 'timeout' | 'aborted' | null = null;
  const end = (why: 'timeout' | 'aborted') => (): void => {
    ended ??= why;
    controller.abort();
  };
  const onAbort = end('aborted');
  const timer = setTimeout(end('timeout'), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  const over = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  try {
    // A fetch that ignores its signal must not delay the caller.
    return await Promise.race([call(controller.signal), over]);
  } catch (error) {
    if (ended === 'timeout') {
      throw new APITimeoutError(
        `No complete answer was received within ${timeoutMs} ms. The request may have been processed.`,
      );
    }
    if (ended === 'aborted') {
      throw new APIAbortError('The signal ended the call. The request may have been processed.');
    }
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Throws APIAbortError when the caller's signal is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new APIAbortError('The signal was aborted before the call. Nothing was sent.');
}

/** Waits; ends early, without an error, when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Returns the back-off before retry number `retry` (from 0), in milliseconds: it doubles, with jitter. */
export function backOffMs(retry: number): number {
  return Math.min(500 * 2 ** retry, 8_000) * (0.5 + Math.random() / 2);
}
