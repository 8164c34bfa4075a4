import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type CachedProgram,
  type FetchOptions,
  cachedProgram,
  findGo,
  findOnPath,
  goInstall,
} from './go-install.ts';
import { StackProblem } from './problem.ts';
import { downloadBySdk } from './sdk-download.ts';

/** The newest release that `go install` accepts: later ones have a replace directive in their go.mod. */
const CLI: CachedProgram = {
  name: 'temporal',
  label: 'the dev server',
  module: 'github.com/temporalio/cli',
  version: 'v1.5.1',
  directory: 'cmd/temporal',
  go: '1.25',
};
const VERSION_MS = 10_000;

/**
 * Returns the path of a Temporal CLI: from `TEMPORAL_CLI`, the PATH or the cache, which the SDK's download or
 * `go install` (minutes, once) fills. Throws StackProblem naming these ways. docs/operations.md.
 */
export async function findTemporalCli(options: FetchOptions): Promise<string> {
  const named = process.env['TEMPORAL_CLI'];
  if (named) {
    if (await runs(named)) return named;
    throw new StackProblem(`TEMPORAL_CLI (${named}) does not run: fix it, or unset it`);
  }
  const onPath = findOnPath('temporal');
  if (onPath !== undefined && (await runs(onPath))) return onPath;
  return cachedProgram(CLI.name, options, (target, logFile) => obtain(target, logFile, options));
}

async function obtain(target: string, logFile: string, options: FetchOptions): Promise<void> {
  options.report('trying the download of the Temporal SDK');
  const noDownload = await downloadBySdk('dev-server', target, { ...options, logFile });
  if (noDownload === undefined) return;
  const go = findGo();
  if (go === undefined) {
    throw new StackProblem(
      `no Temporal server: install the temporal CLI on the PATH (https://docs.temporal.io/cli), or set TEMPORAL_CLI, or TEMPORAL_ADDRESS of a running one, or install Go >= ${CLI.go}, which builds it (${noDownload})`,
    );
  }
  await goInstall(go, CLI, target, logFile, options);
}

async function runs(path: string): Promise<boolean> {
  try {
    await promisify(execFile)(path, ['--version'], { timeout: VERSION_MS });
    return true;
  } catch {
    return false;
  }
}
