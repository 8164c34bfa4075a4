import { Listr } from 'listr2';

/** One part of the start: shown while it runs, then with what `run` answers. */
export interface Step {
  title: string;
  /** `report` tells what it is doing just now, as often as it likes. */
  run(report: (detail: string) => void): Promise<string>;
}

export interface Output {
  /** A progress display is drawn; otherwise plain lines are written. */
  display: boolean;
  line: (text: string) => void;
}

/** On plain output a long step says that it is alive at most this often. */
const PLAIN_REPORT_MS = 15_000;

/** Runs steps at the same time, showing each; throws the first failure when all have ended. */
export async function runTogether(steps: readonly Step[], output: Output): Promise<void> {
  await (output.display ? runDisplayed(steps) : runPlainly(steps, output));
}

async function runDisplayed(steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = [];
  const tasks = steps.map((step) => ({
    title: step.title,
    task: async (_context: unknown, task: { title?: string }) => {
      try {
        task.title = await step.run((detail) => {
          task.title = `${step.title}: ${detail}`;
        });
      } catch (error) {
        failures.push(error);
        throw error;
      }
    },
  }));
  const list = new Listr(tasks, {
    concurrent: true,
    exitOnError: false,
    // Signals are the launcher's business: it stops what was started.
    registerSignalListeners: false,
    rendererOptions: { showErrorMessage: false, collapseErrors: false },
  });
  await list.run();
  if (failures.length > 0) throw failures[0];
}

async function runPlainly(steps: readonly Step[], output: Output): Promise<void> {
  const outcomes = await Promise.allSettled(
    steps.map(async (step) => {
      let saidAt = 0;
      const done = await step.run((detail) => {
        if (Date.now() - saidAt < PLAIN_REPORT_MS) return;
        saidAt = Date.now();
        output.line(`… ${step.title}: ${detail}`);
      });
      output.line(`✔ ${done}`);
    }),
  );
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
