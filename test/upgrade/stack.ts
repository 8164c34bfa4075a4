import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../scripts/lib/problem.mjs';

const READY_MS = 180_000;
const STOP_MS = 90_000;
const POLL_MS = 250;

/** What a stack of any version writes into `stack.json`, as far as it is needed here. */
export interface StackFile {
  baseUrl: string;
  networkUrl: string;
  databaseUrl: string;
  sandboxApiKey: string;
  merchantId: string;
}

export interface RunningVersion {
  stack: StackFile;
  /** Stops it as Ctrl-C does, and returns when it has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `npm start` of a checkout on a data directory. Returns when `stack.json` is there. Throws Problem with
 * the log's place when it ends before or takes too long.
 */
export async function startVersion(options: {
  checkout: string;
  dataDir: string;
  /** Flags beside `--data-dir` that this version has. */
  flags: readonly string[];
  environment: NodeJS.ProcessEnv;
  logFile: string;
  signal: AbortSignal;
}): Promise<RunningVersion> {
  const { checkout, dataDir, flags, environment, logFile, signal } = options;
  mkdirSync(dataDir, { recursive: true });
  const log = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    [join(checkout, 'scripts', 'start.mjs'), '--data-dir', dataDir, ...flags],
    { cwd: checkout, env: environment, stdio: ['ignore', log, log], detached: true },
  );
  const stackFile = join(dataDir, 'stack.json');
  const end = Date.now() + READY_MS;
  while (!existsSync(stackFile)) {
    const late = Date.now() > end;
    if (late || signal.aborted || hasEnded(child)) {
      await stop(child);
      signal.throwIfAborted();
      const lines = readFileSync(logFile, 'utf8').trim().split('\n');
      throw new Problem(`${checkout} did not start on ${dataDir}: ${lines.slice(-3).join(' | ')}`);
    }
    await sleep(POLL_MS);
  }
  const stack = JSON.parse(readFileSync(stackFile, 'utf8')) as StackFile;
  return { stack, stop: () => stop(child) };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  const inTime = await Promise.race([ended.then(() => true), sleep(STOP_MS, false, { ref: false })]);
  // The watchdog of the launcher ends the rest.
  if (!inTime) child.kill('SIGKILL');
  await ended;
}
