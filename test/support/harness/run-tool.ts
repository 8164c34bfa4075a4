import { reportingProblems } from '../../../scripts/lib/problem.mjs';

/**
 * Runs a tool: exit code 0 when `work` returns that all is well, 1 when not. What its user can mend (Problem)
 * is one line.
 */
export async function runTool(work: () => Promise<boolean>): Promise<void> {
  await reportingProblems(async () => {
    process.exitCode = (await work()) ? 0 : 1;
  });
}

/** Ends the process, which handles would keep alive, when what it printed has been read. */
export async function exitWhenPrinted(): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => {
      stream.write('', () => resolve());
    });
  }
  return process.exit();
}
