import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { StackProblem } from './problem.ts';
import { type Stoppable, killProcess, withIdentity } from './stop-processes.ts';

/** Records running processes, so that they are stopped when the launcher is killed. */
export interface Guard {
  guard(process: Stoppable): void;
  forget(pid: number): void;
}

export interface ToolOptions {
  /** Receives both output streams, appended. */
  logFile: string;
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** A directory we open for the command, as its descriptor 3. */
  handle?: string | undefined;
  signal?: AbortSignal | undefined;
  guard?: Guard | undefined;
}

/**
 * Runs a command (initdb, go install, mvn, ...) to its end in its own process group. Throws StackProblem with
 * the decisive line of its output when it fails, cannot be started or takes longer than `timeoutMs`; throws
 * the abort signal's reason when aborted. None of its processes is left running.
 */
export async function runTool(command: string, args: readonly string[], options: ToolOptions): Promise<void> {
  options.signal?.throwIfAborted();
  const log = openSync(options.logFile, 'a', 0o600);
  const { logFile, timeoutMs, signal, guard, handle, ...spawnOptions } = options;
  const handles = handle === undefined ? [] : [openSync(handle, 'r')];
  const child = spawn(command, args, {
    ...spawnOptions,
    stdio: ['ignore', log, log, ...handles],
    detached: true,
  });
  for (const descriptor of [log, ...handles]) closeSync(descriptor);
  const stoppable = withIdentity({
    name: command,
    pid: child.pid ?? 0,
    stage: 0,
    signals: ['SIGTERM'],
    graceMs: 2_000,
    group: true,
  });
  if (child.pid !== undefined) guard?.guard(stoppable);
  const kill = (): void => killProcess(stoppable);
  const timer = setTimeout(kill, timeoutMs);
  signal?.addEventListener('abort', kill);
  try {
    const outcome = await new Promise<number | string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, killedBy) => resolve(code ?? String(killedBy)));
    });
    signal?.throwIfAborted();
    if (outcome === 0) return;
    const ended = typeof outcome === 'number' ? `exit code ${outcome}` : outcome;
    throw new StackProblem(
      `${basename(command)} failed (${ended}): ${decisiveLine(logFile)} (log: ${logFile})`,
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    if (child.pid !== undefined) guard?.forget(child.pid);
  }
}

/** Returns the line of a log that best explains why a program ended: its last error, else its last line. */
export function decisiveLine(logFile: string): string {
  const lines = lastLines(logFile, 60).map(messageOf);
  const isNoise = (line: string): boolean => line === '' || /^\s+at |^Node\.js v|^\s*[{}^~]/.test(line);
  const meaningful = lines.filter((line) => !isNoise(line));
  const error = meaningful.findLast((line) => /^\w*(error|problem)\b.*[:\s]|\b(FATAL|ERROR)\b/i.test(line));
  return (error ?? meaningful.at(-1) ?? 'it printed nothing').trim().slice(0, 300);
}

/** Returns the message of a JSON log line (pino's), any other line unchanged. */
function messageOf(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const entry: { msg?: unknown; level?: unknown } = JSON.parse(line);
    if (typeof entry.msg !== 'string') return line;
    return Number(entry.level) >= 50 ? `Error: ${entry.msg}` : entry.msg;
  } catch {
    return line;
  }
}

function lastLines(file: string, count: number): string[] {
  try {
    return readFileSync(file, 'utf8').slice(-64_000).split('\n').slice(-count);
  } catch {
    return [];
  }
}
