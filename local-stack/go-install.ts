import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from '../scripts/lib/lock.mjs';
import { cacheDir } from './cache-dir.ts';
import { buildProgress, readFrom, readGoOutput, sizeOf } from './go-progress.ts';
import { StackProblem, reasonOf } from './problem.ts';
import { type Guard, runTool } from './run-tool.ts';

const EXE = process.platform === 'win32' ? '.exe' : '';
const GO_INSTALL_MS = 30 * 60_000;
const PROGRESS_MS = 1_000;
/** Where installers put Go, for shells that do not have it on their PATH. */
const USUAL_PLACES = ['/usr/local/go/bin/go', '/opt/homebrew/bin/go'];

export interface FetchOptions {
  /** Shows the current step as the progress line; may be called often. */
  report(detail: string): void;
  signal?: AbortSignal | undefined;
  guard?: Guard | undefined;
}

/** A program that is kept in the cache. */
export interface CachedProgram {
  /** Name and version: the name of its file in the cache, and of its log. */
  name: string;
  /** Its name in progress lines. */
  label: string;
  /** Go module. */
  module: string;
  version: string;
  /** Directory of the command in the module; empty: the module's own. */
  directory: string;
  /** The oldest Go version that builds it. */
  go: string;
}

/** Returns the path of a program in the cache, whether it exists or not. */
export const cachedPath = (name: string): string => join(cacheDir('bin'), `${name}${EXE}`);

/**
 * Returns the program's path in the cache. When the file is missing, `get` creates it, in one process at a
 * time.
 */
export async function cachedProgram(
  name: string,
  options: FetchOptions,
  get: (target: string, logFile: string) => Promise<void>,
): Promise<string> {
  const target = cachedPath(name);
  if (existsSync(target)) return target;
  await withLock(
    `${target}.lock`,
    {
      timeoutMs: GO_INSTALL_MS,
      onWait: ({ pid }) => options.report(`waiting for process ${pid}, which is fetching it`),
    },
    async () => {
      if (!existsSync(target)) await get(target, join(cacheDir('logs'), `${name}.log`));
    },
  );
  return target;
}

/** Returns the Go command: that of `GOROOT` when it is set, else from the PATH or the usual places. */
export function findGo(): string | undefined {
  const root = process.env['GOROOT'];
  const candidates = root ? [join(root, 'bin', `go${EXE}`)] : [findOnPath('go'), ...USUAL_PLACES];
  return candidates.find((path) => path !== undefined && existsSync(path));
}

/** Without cgo a program needs no C compiler and runs with any libc. */
const goEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, GOFLAGS: '', CGO_ENABLED: '0' });
/** Strips what only debuggers need. */
const LINK = '-ldflags=-s -w';

/**
 * Builds a program into `target` with `go install`, and reports how many of its packages are compiled. Throws
 * StackProblem, naming the required Go, when that fails.
 */
export async function goInstall(
  go: string,
  program: CachedProgram,
  target: string,
  logFile: string,
  options: FetchOptions,
): Promise<void> {
  const { label, module, version, directory, go: oldest } = program;
  // The lock gives this process sole use of the directory; one that a killed build left is replaced.
  const scratch = `${target}.build`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  const startedAt = Date.now();
  const listFile = join(scratch, 'packages');
  const logged = sizeOf(logFile);
  let total: number | null | undefined;
  const report = (): void => {
    const output = total === undefined ? readFrom(listFile, 0) : readFrom(logFile, logged);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    options.report(buildProgress(label, readGoOutput(output), total, seconds));
  };
  report();
  const ticker = setInterval(report, PROGRESS_MS);
  try {
    total = await countPackages(go, program, { listFile, scratch }, options);
    report();
    await runTool(
      go,
      ['install', '-v', LINK, `${[module, directory].filter(Boolean).join('/')}@${version}`],
      {
        logFile,
        timeoutMs: GO_INSTALL_MS,
        env: { ...goEnvironment(), GOBIN: scratch },
        signal: options.signal,
        guard: options.guard,
      },
    );
    renameSync(join(scratch, `${commandOf(program)}${EXE}`), target);
  } catch (error) {
    if (!(error instanceof StackProblem)) throw error;
    throw new StackProblem(
      `${label} could not be built: Go ${oldest} or newer and its module proxy are needed (${reasonOf(error)})`,
    );
  } finally {
    clearInterval(ticker);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Returns how many packages the build has to compile, without those in Go's cache; null when Go cannot list
 * them, because the build itself shows the reason. Downloads the modules.
 */
async function countPackages(
  go: string,
  { module, version, directory }: CachedProgram,
  { listFile, scratch }: { listFile: string; scratch: string },
  options: FetchOptions,
): Promise<number | null> {
  const moduleFile = join(scratch, 'module');
  const { signal, guard } = options;
  const common = { timeoutMs: GO_INSTALL_MS, env: goEnvironment(), signal, guard };
  try {
    await runTool(go, ['mod', 'download', '-json', `${module}@${version}`], {
      ...common,
      logFile: moduleFile,
      cwd: scratch,
    });
    const [, path] = /"Dir": ("(?:[^"\\]|\\.)*")/.exec(readFrom(moduleFile, 0)) ?? [];
    if (path === undefined) return null;
    const cwd: string = JSON.parse(path);
    const stale = '{{if .Stale}}{{.ImportPath}}{{end}}';
    const args = ['list', '-deps', LINK, '-f', stale, `./${directory}`];
    await runTool(go, args, { ...common, logFile: listFile, cwd });
    return readGoOutput(readFrom(listFile, 0)).packages;
  } catch (error) {
    if (error instanceof StackProblem) return null;
    throw error;
  }
}

/** Returns the name that `go install` gives a command: the last part of its package without `/v2`. */
const commandOf = ({ module, directory }: CachedProgram): string =>
  (directory || module.replace(/\/v\d+$/, '')).split('/').at(-1) ?? module;

export function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, `${name}${EXE}`))
    .find((path) => existsSync(path));
}
