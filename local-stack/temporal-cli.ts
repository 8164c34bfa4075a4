import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../scripts/lib/lock.mjs';
import { cacheDir } from './cache-dir.ts';
import { StackProblem } from './problem.ts';
import { type Guard, runTool } from './run-tool.ts';
import { downloadBySdk } from './sdk-download.ts';

/** The newest release that `go install` accepts: later ones replace a module in their go.mod. */
const CLI_MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const EXE = process.platform === 'win32' ? '.exe' : '';
const LOOK_MS = 10_000;
const GO_INSTALL_MS = 30 * 60_000;
const PROGRESS_MS = 1_000;

export interface FetchOptions {
  /** Told what is going on, often: a progress line. */
  report(detail: string): void;
  signal?: AbortSignal | undefined;
  guard?: Guard | undefined;
}

/**
 * Finds a Temporal CLI, or gets one into the cache: `TEMPORAL_CLI`, the PATH, the cache, the SDK's download,
 * `go install` (minutes, once). Throws StackProblem naming these ways. docs/operations.md.
 */
export async function findTemporalCli(options: FetchOptions): Promise<string> {
  const named = process.env['TEMPORAL_CLI'];
  if (named) {
    if (await runs(named)) return named;
    throw new StackProblem(`TEMPORAL_CLI (${named}) does not run: mend it, or unset it`);
  }
  const onPath = findOnPath('temporal');
  if (onPath !== undefined && (await runs(onPath))) return onPath;
  const cached = join(cacheDir('bin'), `temporal${EXE}`);
  if (existsSync(cached)) return cached;
  await withLock(
    `${cached}.lock`,
    {
      timeoutMs: GO_INSTALL_MS,
      onWait: ({ pid }) => options.report(`waiting for process ${pid}, which is getting it`),
    },
    async () => {
      if (!existsSync(cached)) await obtain(cached, options);
    },
  );
  return cached;
}

async function obtain(target: string, options: FetchOptions): Promise<void> {
  const logFile = join(cacheDir('logs'), 'temporal-cli.log');
  options.report('trying the download of the Temporal SDK');
  const noDownload = await downloadBySdk('dev-server', target, { ...options, logFile });
  if (noDownload === undefined) return;
  const go =
    findOnPath('go') ?? ['/usr/local/go/bin/go', '/opt/homebrew/bin/go'].find((path) => existsSync(path));
  if (go === undefined) {
    throw new StackProblem(
      `no Temporal server: install the temporal CLI on the PATH (https://docs.temporal.io/cli), or set TEMPORAL_CLI, or TEMPORAL_ADDRESS of a running one, or install Go >= 1.25 to have it built (${noDownload})`,
    );
  }
  await goInstall(go, target, logFile, options);
}

async function goInstall(go: string, target: string, logFile: string, options: FetchOptions): Promise<void> {
  // Under the lock it is ours alone; one that a killed build left is replaced.
  const scratch = `${target}.build`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  const startedAt = Date.now();
  const tell = (): void =>
    options.report(
      `building it with go install, once, a few minutes: ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  tell();
  const ticker = setInterval(tell, PROGRESS_MS);
  try {
    await runTool(go, ['install', '-ldflags=-s -w', CLI_MODULE], {
      logFile,
      timeoutMs: GO_INSTALL_MS,
      // Without cgo no C compiler is needed, and the program runs on any libc.
      env: { ...process.env, GOBIN: scratch, GOFLAGS: '', CGO_ENABLED: '0' },
      signal: options.signal,
      guard: options.guard,
    });
    renameSync(join(scratch, `temporal${EXE}`), target);
  } finally {
    clearInterval(ticker);
    rmSync(scratch, { recursive: true, force: true });
  }
}

export function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, `${name}${EXE}`))
    .find((path) => existsSync(path));
}

async function runs(path: string): Promise<boolean> {
  try {
    await promisify(execFile)(path, ['--version'], { timeout: LOOK_MS });
    return true;
  } catch {
    return false;
  }
}
