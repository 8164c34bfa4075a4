import { reportingProblems } from '../../../scripts/lib/problem.mjs';

/**
 * Runs a tool: exit code 0 when `work` returns true, 1 when not. A Problem, which the user can fix, is
 * printed as one line.
 */
export async function runTool(work: () => Promise<boolean>): Promise<void> {
  await reportingProblems(async () => {
    process.exitCode = (await work()) ? 0 : 1;
  });
}

/** Ends the process when its output has been read. Open handles would keep it running. */
export async function exitWhenPrinted(): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => {
      stream.write('', () => resolve());
    });
  }
  return process.exit();
}
