/**
 * Provider calls of this process that outlast the workflow task which began them. A local activity waits for
 * a call only as long as its patience lasts, so that a slow acquirer holds no workflow task; the call goes on
 * here, and a regular activity waits for it.
 */
export class InFlightCalls<T> {
  readonly #calls = new Map<string, Promise<T>>();

  /**
   * Starts a call, which must never reject, unless it runs already: a workflow task that was lost is done
   * again. Returns what it gives, or `running` when patience ends first.
   */
  async begin(key: string, patienceMs: number, call: () => Promise<T>): Promise<T | 'running'> {
    const running = this.#calls.get(key) ?? this.#start(key, call);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<'running'>((resolve) => {
      timer = setTimeout(() => resolve('running'), patienceMs);
    });
    try {
      return await Promise.race([running, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  #start(key: string, call: () => Promise<T>): Promise<T> {
    const running = call().finally(() => this.#calls.delete(key));
    this.#calls.set(key, running);
    return running;
  }

  /** The call that runs under this key in this process, if any. */
  find(key: string): Promise<T> | undefined {
    return this.#calls.get(key);
  }
}
