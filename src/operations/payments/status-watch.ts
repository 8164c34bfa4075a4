/** Pause between two polls of the awaited payments, in ms. A change is noticed at most this late. */
const pollEveryMs = 50;

/** Notifies waiting calls of changed payments. */
export interface StatusWatch {
  /**
   * Resolves when the payment is no longer at `version`, after `withinMs`, when `gone` aborts, and at once
   * when the process stops. Never throws: an unavailable database counts as no change.
   */
  changed(paymentId: string, version: number, withinMs: number, gone: AbortSignal): Promise<void>;
  /** Resolves all waiting calls, and every later one at once. */
  stop(): void;
  readonly stopped: boolean;
  /** Calls that wait. */
  readonly waiting: number;
}

interface Waiter {
  version: number;
  wake: () => void;
}

/**
 * Returns a watch that polls all awaited payments with one statement, 20 times a second, and only while a
 * call waits. No waiting call holds a connection, and the watch keeps none either. ADR 0021.
 */
export function createStatusWatch(deps: {
  /** Returns the present versions of these payments. */
  versionsOf: (ids: string[]) => Promise<{ id: string; version: number }[]>;
  onError: (error: unknown) => void;
}): StatusWatch {
  const waiters = new Map<string, Set<Waiter>>();
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const poll = async (): Promise<void> => {
    try {
      for (const { id, version } of await deps.versionsOf([...waiters.keys()])) {
        for (const waiter of waiters.get(id) ?? []) if (waiter.version !== version) waiter.wake();
      }
    } catch (error) {
      deps.onError(error);
    }
    timer = null;
    schedule();
  };
  const schedule = (): void => {
    if (timer === null && waiters.size > 0) timer = setTimeout(() => void poll(), pollEveryMs);
  };

  return {
    changed: (paymentId, version, withinMs, gone) =>
      new Promise((resolve) => {
        if (stopped || gone.aborted || withinMs <= 0) return resolve();
        const own = waiters.get(paymentId) ?? new Set<Waiter>();
        const wake = (): void => {
          clearTimeout(deadline);
          gone.removeEventListener('abort', wake);
          own.delete(waiter);
          if (own.size === 0 && waiters.get(paymentId) === own) waiters.delete(paymentId);
          resolve();
        };
        const waiter: Waiter = { version, wake };
        const deadline = setTimeout(wake, withinMs);
        gone.addEventListener('abort', wake, { once: true });
        waiters.set(paymentId, own.add(waiter));
        schedule();
      }),
    stop: () => {
      stopped = true;
      for (const own of waiters.values()) for (const waiter of own) waiter.wake();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
    get stopped() {
      return stopped;
    },
    get waiting() {
      let all = 0;
      for (const own of waiters.values()) all += own.size;
      return all;
    },
  };
}
