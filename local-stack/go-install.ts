import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from '../scripts/lib/lock.mjs';
import { cacheDir } from './cache-dir.ts';
import { StackProblem, reasonOf } from './problem.ts';
import { type Guard, runTool } from './run-tool.ts';

const EXE = process.platform === 'win32' ? '.exe' : '';
const GO_INSTALL_MS = 30 * 60_000;
const PROGRESS_MS = 1_000;
/** Where installers put it, for shells that do not have it on their PATH. */
const USUAL_PLACES = ['/usr/local/go/bin/go', '/opt/homebrew/bin/go'];

export interface FetchOptions {
  /** DraftEntry what is going on, often: a progress line. */
  report(detail: string): void;
  signal?: AbortSignal | undefined;
  guard?: Guard | undefined;
}

/** A program that is kept in the cache. */
export interface CachedProgram {
  /** Name of its file in the cache, with its version, and of its log. */
  name: string;
  /** What progress calls it. */
  label: string;
  /** Go package with its version. */
  module: string;
  /** The oldest Go that builds it. */
  go: string;
}

/** Where a program of this name is kept in the cache, whether it is there yet or not. */
export const cachedPath = (name: string): string => join(cacheDir('bin'), `${name}${EXE}`);

/** Returns the program's path in the cache; when it is not there, `get` brings it, one process at a time. */
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
      onWait: ({ pid }) => options.report(`waiting for process ${pid}, which is getting it`),
    },
    async () => {
      if (!existsSync(target)) await get(target, join(cacheDir('logs'), `${name}.log`));
    },
  );
  return target;
}

/** The Go command: of `GOROOT` when that is set, on the PATH, or where installers put it. */
export function findGo(): string | undefined {
  const root = process.env['GOROOT'];
  const candidates = root ? [join(root, 'bin', `go${EXE}`)] : [findOnPath('go'), ...USUAL_PLACES];
  return candidates.find((path) => path !== undefined && existsSync(path));
}

/**
 * Builds a program into `target` by `go install`. Throws StackProblem naming the Go that is needed when it
 * cannot be built.
 */
export async function goInstall(
  go: string,
  { label, module, go: oldest }: CachedProgram,
  target: string,
  logFile: string,
  options: FetchOptions,
): Promise<void> {
  // Under the lock it is ours alone; one that a killed build left is replaced.
  const scratch = `${target}.build`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  const startedAt = Date.now();
  const tell = (): void =>
    options.report(
      `building ${label} with go install, once, a few minutes: ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  tell();
  const ticker = setInterval(tell, PROGRESS_MS);
  try {
    await runTool(go, ['install', '-ldflags=-s -w', module], {
      logFile,
      timeoutMs: GO_INSTALL_MS,
      // Without cgo no C compiler is needed, and the program runs on any libc.
      env: { ...process.env, GOBIN: scratch, GOFLAGS: '', CGO_ENABLED: '0' },
      signal: options.signal,
      guard: options.guard,
    });
    renameSync(join(scratch, `${commandOf(module)}${EXE}`), target);
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

/** `go install` names a command by the last part of its package. */
const commandOf = (module: string): string => module.replace(/@.*$/, '').split('/').at(-1) ?? module;

export function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, `${name}${EXE}`))
    .find((path) => existsSync(path));
}
