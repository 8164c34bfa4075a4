import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StackProblem, reasonOf } from './problem.ts';
import { type Guard, tellingLine } from './run-tool.ts';
import { type Stoppable, killProcess, stopInOrder, stopProcess, withIdentity } from './stop-processes.ts';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;
/** A process that ran this long is taken to be well: its next end starts with a short back-off again. */
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
  /** Clears away what a violent end may have left; runs before every start. */
  beforeStart?(): Promise<void>;
}

export interface SupervisorOptions {
  logsDirectory: string;
  guard: Guard;
  /** Called whenever the set of running processes changed. */
  onChange(): void;
  /** One line for the terminal. */
  say(line: string): void;
}

interface Running {
  program: Program;
  child: ChildProcess;
  stoppable: Stoppable;
  startedAtMs: number;
}

/**
 * Starts programs, starts them again when they end, and stops them in order. Their output goes to one log
 * file each. docs/operations.md.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, Running>();
  #stopping = false;

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
   * Starts a program and waits until it is ready; from then on it is started again whenever it ends. Throws
   * StackProblem when it ends before it was ready or is not ready in time.
   */
  async start(program: Program, signal: AbortSignal): Promise<void> {
    await program.beforeStart?.();
    signal.throwIfAborted();
    const running = this.#spawn(program);
    await this.#untilReady(running, signal);
    running.child.once('exit', () => this.#ended(running, FIRST_BACKOFF_MS));
    // It may have ended between the last look and the listener.
    if (hasEnded(running.child)) this.#ended(running, FIRST_BACKOFF_MS);
  }

  /** Stops everything in order, each process within its own grace. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await stopInOrder(this.stoppables);
    this.#running.clear();
  }

  /** SIGKILL to everything, at once. */
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
      // A group of its own: Ctrl-C in the terminal is for the launcher only, which stops the others in order.
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
    // Not startable at all: `exit` never comes, so it is told in its place.
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
    // Whoever loses the race must not become an unhandled rejection.
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
      throw new StackProblem(`${program.name} ${why}: ${tellingLine(log)} (log: ${log})`);
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
    this.#options.say(`${program.name} (process ${stoppable.pid}) ended: ${how}; starting it again`);
    setTimeout(() => void this.#again(program, Math.min(delayMs * 2, LONGEST_BACKOFF_MS)), delayMs);
  }

  async #again(program: Program, nextBackoffMs: number): Promise<void> {
    if (this.#stopping) return;
    try {
      await program.beforeStart?.();
    } catch (error) {
      this.#options.say(`${program.name} cannot be started yet: ${reasonOf(error)}`);
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
