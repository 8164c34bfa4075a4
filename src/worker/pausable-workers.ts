/** One of Temporal's workers, which is paused and resumed. */
export interface RunnableWorker {
  run(): Promise<void>;
  shutdown(): void;
  getState(): string;
}

/** Workers that stop polling while their process must do no provider work. */
export interface PausableWorkers {
  /** Returns whether all of them poll. */
  areRunning(): boolean;
  /**
   * Pauses or resumes. A pause finishes the work that was begun and polls no more, so that another process
   * does the rest. To resume, fresh workers are created.
   */
  allow(isAllowed: boolean): void;
  /** Finishes the work that was begun and stops for good. */
  stop(): Promise<void>;
}

/**
 * Runs the workers that `create` makes, unless `isAllowed` is false from the start. `onFault`: one of them
 * could not be made or has stopped by itself.
 */
export async function runPausableWorkers(deps: {
  create: () => Promise<readonly RunnableWorker[]>;
  isAllowed: boolean;
  onFault: (error: unknown) => void;
}): Promise<PausableWorkers> {
  let workers: readonly RunnableWorker[] = [];
  let runs: Promise<void>[] = [];
  let wanted = deps.isAllowed;
  let stopped = false;
  let changing = Promise.resolve();

  const start = async (): Promise<void> => {
    workers = await deps.create();
    runs = workers.map((worker) => worker.run().catch(deps.onFault));
  };
  const end = async (): Promise<void> => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all(runs);
    workers = [];
    runs = [];
  };
  /** Starts or ends the workers as now wanted. Changes that undo each other do nothing. */
  const change = async (): Promise<void> => {
    const shouldRun = wanted && !stopped;
    if (shouldRun && workers.length === 0) await start();
    if (!shouldRun && workers.length > 0) await end();
  };

  if (wanted) await start();
  return {
    areRunning: () => workers.length > 0 && workers.every((worker) => worker.getState() === 'RUNNING'),
    allow(isAllowed) {
      wanted = isAllowed;
      changing = changing.then(change).catch(deps.onFault);
    },
    stop: async () => {
      stopped = true;
      changing = changing.then(change);
      await changing;
    },
  };
}
