interface Call<T> {
  answer: Promise<T>;
  /** A local activity has stopped waiting for this call. */
  abandoned: boolean;
  /** Local activities wait until the call ends. */
  held: boolean;
}

/**
 * The provider calls of this process. A local activity waits for a call only for `patienceMs`, so that a slow
 * provider blocks no workflow task. After that the call continues here, and a regular activity waits for it.
 */
export class InFlightCalls<T> {
  readonly #calls = new Map<string, Call<T>>();

  /**
   * Starts a call, which must never reject, unless it runs already because a lost workflow task is repeated.
   * Returns the call's result, or `running` after `patienceMs`. The call may use `hold` to make local
   * activities wait until it ends, within their own time limit; `hold` returns false when one has already
   * stopped waiting.
   */
  async begin(
    key: string,
    patienceMs: number,
    call: (hold: () => boolean) => Promise<T>,
  ): Promise<T | 'running'> {
    const running = this.#calls.get(key) ?? this.#start(key, call);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<'running'>((resolve) => {
      timer = setTimeout(() => {
        if (running.held) return;
        running.abandoned = true;
        resolve('running');
      }, patienceMs);
    });
    try {
      return await Promise.race([running.answer, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  #start(key: string, call: (hold: () => boolean) => Promise<T>): Call<T> {
    const state = { abandoned: false, held: false };
    const hold = (): boolean => (state.held = !state.abandoned);
    const answer = call(hold).finally(() => this.#calls.delete(key));
    const running = Object.assign(state, { answer });
    this.#calls.set(key, running);
    return running;
  }

  /** Returns the call that runs under this key in this process, if any. */
  find(key: string): Promise<T> | undefined {
    return this.#calls.get(key)?.answer;
  }
}
