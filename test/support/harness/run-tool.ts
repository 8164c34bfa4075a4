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
