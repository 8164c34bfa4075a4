import { type RunnableWorker, runPausableWorkers } from '../../../src/worker/pausable-workers.ts';

/** Returns workers that run until they are shut down; `polling` counts the running ones. */
function workers() {
  const counts = { made: 0, polling: 0 };
  const faults: unknown[] = [];
  const create = async (): Promise<RunnableWorker[]> => {
    counts.made += 1;
    let end = (): void => undefined;
    let state = 'INITIALIZED';
    const ended = new Promise<void>((resolve) => (end = resolve));
    return [
      {
        run: async () => {
          state = 'RUNNING';
          counts.polling += 1;
          await ended;
          counts.polling -= 1;
          state = 'STOPPED';
        },
        shutdown: () => end(),
        getState: () => state,
      },
    ];
  };
  return { counts, faults, deps: { create, onFault: (error: unknown) => void faults.push(error) } };
}

it('polls nothing from the start where that is not allowed, and polls once it is', async () => {
  const { counts, deps } = workers();
  const running = await runPausableWorkers({ ...deps, isAllowed: false });
  expect([counts.polling, running.areRunning()]).toEqual([0, false]);
  running.allow(true);
  await running.stop();
  expect(counts).toEqual({ made: 0, polling: 0 });
});

it('pauses, resumes with fresh workers and stops', async () => {
  const { counts, deps, faults } = workers();
  const running = await runPausableWorkers({ ...deps, isAllowed: true });
  expect(running.areRunning()).toBe(true);
  running.allow(false);
  while (counts.polling > 0) await Promise.resolve();
  expect(running.areRunning()).toBe(false);
  running.allow(true);
  while (counts.polling === 0) await new Promise(setImmediate);
  expect([counts.made, running.areRunning()]).toEqual([2, true]);
  await running.stop();
  expect([counts.polling, faults]).toEqual([0, []]);
});
