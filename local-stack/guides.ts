import { join } from 'node:path';
import type { Launch } from './launch.ts';
import { runTool } from './run-tool.ts';

const buildMs = 10 * 60_000;

/**
 * Builds the site of the guides while the stack runs, unless it is up to date, in a process of the lowest
 * priority. Resolves when the build has ended or `signal` has stopped it. The stack does not need the guides,
 * so a failure is written to `guides.log` and reported in one line.
 */
export async function buildGuides(
  { entries, options, session, output, environment }: Launch,
  signal: AbortSignal,
): Promise<void> {
  if (entries.guides === undefined || !options.guides) return;
  try {
    await runTool(process.execPath, [entries.guides, '--lowest-priority'], {
      logFile: join(session.dataDir.logs, 'guides.log'),
      timeoutMs: buildMs,
      env: environment,
      signal,
      guard: session.watchdog,
    });
  } catch (error) {
    if (!signal.aborted) output.line(`The guides were not built: ${String(error)}`);
  }
}
