import { Listr } from 'listr2';

/** One part of the start. It is shown while it runs, and then with the text that `run` returns. */
export interface Step {
  title: string;
  /** Calls `report` with its current activity, as often as it needs. */
  run(report: (detail: string) => void): Promise<string>;
}

export interface Output {
  /** Whether a progress display is drawn; otherwise plain lines are written. */
  display: boolean;
  line: (text: string) => void;
}

/** On plain output a long step reports its progress at most this often. */
const PLAIN_REPORT_MS = 15_000;

/** Runs steps concurrently and shows each; throws the first failure when all have ended. */
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
    // The launcher handles signals and stops what was started.
    registerSignalListeners: false,
    rendererOptions: { showErrorMessage: false, collapseErrors: false },
  });
  await list.run();
  if (failures.length > 0) throw failures[0];
}

async function runPlainly(steps: readonly Step[], output: Output): Promise<void> {
  const outcomes = await Promise.allSettled(
    steps.map(async (step) => {
      let reportedAt = 0;
      const done = await step.run((detail) => {
        if (Date.now() - reportedAt < PLAIN_REPORT_MS) return;
        reportedAt = Date.now();
        output.line(`… ${step.title}: ${detail}`);
      });
      output.line(`✔ ${done}`);
    }),
  );
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
