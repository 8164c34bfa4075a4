import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Problem } from '../../scripts/lib/problem.mjs';

const run = promisify(execFile);
const runMs = 300_000;

/** Runs a program to its end. Throws a `Problem` with the end of its output if it fails or takes minutes. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  try {
    await run(program, args, { ...options, timeout: runMs });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Problem(`${program} ${args.join(' ')} failed\n${`${stdout}${stderr}`.slice(-3_000)}`);
  }
}
