import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StackProblem, reasonOf } from './problem.ts';
import { type Guard, decisiveLine } from './run-tool.ts';
import { type Stoppable, killProcess, stopInOrder, stopProcess, withIdentity } from './stop-processes.ts';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;
/** After running this long a process counts as stable: its next restart begins with the shortest back-off. */
const STABLE_MS = 30_000;

export interface Command {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** A directory we open for the program, as its descriptor 3. Not together with `ipc`. */
  handle?: string | undefined;
}

/** A long-running program of the stack: how to start it, how to know that it is ready, how to stop it. */
export interface Program {
  name: string;
  command: Command;
  stage: number;
  signals: NodeJS.Signals[];
  graceMs: number;
  readyWithinMs: number;
  /** Resolves when the program serves. `child` has an IPC channel when `ipc` is set. */
  ready(child: ChildProcess, signal: AbortSignal): Promise<void>;
  ipc?: boolean;
  /** Cleans up after a killed process; runs before every start. */
  beforeStart?(): Promise<void>;
}

export interface SupervisorOptions {
  logsDirectory: string;
  guard: Guard;
  /** Called after each change of the running processes. */
  onChange(): void;
  /** Prints one line to the terminal. */
  print(line: string): void;
}

interface Running {
  program: Program;
  child: ChildProcess;
  stoppable: Stoppable;
  startedAtMs: number;
}

/**
 * Starts programs, restarts them when they end, and stops them in order. Each writes to its own log file.
 * docs/operations.md.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, Running>();
  #stopping = false;
  /** Replaces a program before it starts. Drills use it to move an address to a relay. */
  amend: (program: Program) => Program = (program) => program;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Process ids by name, in the order of starting. */
  get processes(): Record<string, number> {
    return Object.fromEntries([...this.#running].map(([name, { stoppable }]) => [name, stoppable.pid]));
  }

  get stoppables(): Stoppable[] {
    return [...this.#running.values()].map((running) => running.stoppable);
  }

  /**
   * Starts a program and waits until it is ready; from then on it is restarted whenever it ends. Throws
   * StackProblem when it ends before it is ready or is not ready in time.
   */
  async start(wanted: Program, signal: AbortSignal): Promise<void> {
    const program = this.amend(wanted);
    await program.beforeStart?.();
    signal.throwIfAborted();
    const running = this.#spawn(program);
    await this.#untilReady(running, signal);
    running.child.once('exit', () => this.#ended(running, FIRST_BACKOFF_MS));
    // It may have ended before the listener was added.
    if (hasEnded(running.child)) this.#ended(running, FIRST_BACKOFF_MS);
  }

  /** Stops or kills a program, and does not restart it. */
  async remove(name: string, { kill = false } = {}): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#running.delete(name);
    if (kill) killProcess(running.stoppable);
    await stopProcess(running.stoppable);
    this.#options.onChange();
  }

  /** Stops all processes in order, each within its own grace period. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await stopInOrder(this.stoppables);
    this.#running.clear();
  }

  /** Sends SIGKILL to all processes at once. */
  kill(): void {
    this.#stopping = true;
    for (const stoppable of this.stoppables) killProcess(stoppable);
  }

  #spawn(program: Program): Running {
    if (this.#stopping) throw new StackProblem('stopped');
    const { file, args, handle, ...options } = program.command;
    const log = openSync(this.#logFile(program), 'a', 0o600);
    const handles = handle === undefined ? [] : [openSync(handle, 'r')];
    const child = spawn(file, args, {
      ...options,
      // In its own group, so that Ctrl-C in the terminal reaches only the launcher, which stops the others in
      // order.
      detached: true,
      stdio: ['ignore', log, log, ...(program.ipc ? (['ipc'] as const) : handles)],
    });
    for (const descriptor of [log, ...handles]) closeSync(descriptor);
    const { name, stage, signals, graceMs } = program;
    const stoppable = withIdentity({ name, pid: child.pid ?? 0, stage, signals, graceMs });
    const running = { program, child, stoppable, startedAtMs: Date.now() };
    this.#running.set(name, running);
    this.#options.guard.guard(stoppable);
    child.once('exit', () => this.#options.guard.forget(stoppable.pid));
    // A program that cannot be started never emits `exit`, so emit it here.
    child.once('error', () => child.pid === undefined && child.emit('exit', 127, null));
    this.#options.onChange();
    return running;
  }

  async #untilReady({ program, child, stoppable }: Running, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), program.readyWithinMs);
    const ended = new Promise<'ended'>((resolve) => {
      child.once('exit', () => resolve('ended'));
      if (hasEnded(child)) resolve('ended');
    });
    const either = AbortSignal.any([signal, waiting.signal]);
    const aborted = new Promise<'aborted'>((resolve) => {
      either.addEventListener('abort', () => resolve('aborted'), { once: true });
    });
    const ready = program.ready(child, either).then(() => 'ready' as const);
    // When this promise loses the race, its rejection must not be unhandled.
    ready.catch(() => {});
    try {
      const outcome = await Promise.race([ready, ended, aborted]);
      if (outcome === 'ready') return;
      signal.throwIfAborted();
      const log = this.#logFile(program);
      const why =
        outcome === 'ended'
          ? 'ended before it was ready'
          : `was not ready within ${program.readyWithinMs / 1000} s`;
      throw new StackProblem(`${program.name} ${why}: ${decisiveLine(log)} (log: ${log})`);
    } catch (error) {
      await stopProcess(stoppable);
      throw error;
    } finally {
      clearTimeout(timer);
      waiting.abort();
    }
  }

  #ended(running: Running, backoffMs: number): void {
    if (this.#stopping || this.#running.get(running.program.name) !== running) return;
    const { program, child, stoppable, startedAtMs } = running;
    const delayMs = Date.now() - startedAtMs > STABLE_MS ? FIRST_BACKOFF_MS : backoffMs;
    const how = child.signalCode ?? `exit code ${child.exitCode}`;
    this.#options.print(`${program.name} (process ${stoppable.pid}) ended: ${how}; restarting it`);
    setTimeout(() => void this.#restart(program, Math.min(delayMs * 2, LONGEST_BACKOFF_MS)), delayMs);
  }

  async #restart(program: Program, nextBackoffMs: number): Promise<void> {
    if (this.#stopping) return;
    try {
      await program.beforeStart?.();
    } catch (error) {
      this.#options.print(`${program.name} cannot be started yet: ${reasonOf(error)}`);
    }
    if (this.#stopping) return;
    const running = this.#spawn(program);
    running.child.once('exit', () => this.#ended(running, nextBackoffMs));
  }

  #logFile(program: Program): string {
    return join(this.#options.logsDirectory, `${program.name}.log`);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}
