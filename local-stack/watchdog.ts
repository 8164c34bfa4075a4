import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processIdentity } from '../scripts/lib/process-identity.mjs';
import { type Stoppable, ended } from './stop-processes.ts';
import type { WatchdogMessage } from './watchdog-process.ts';

const CLOSE_MS = 2_000;
const RESTART_MS = 250;

/** The launcher's side of the watchdog process (watchdog-process.ts), which it restarts when it dies. */
export class Watchdog {
  readonly #guarded = new Map<number, Stoppable>();
  readonly #paths: string[] = [];
  #child: ChildProcess;
  #closing = false;

  constructor() {
    this.#child = this.#spawn();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  guard(process: Stoppable): void {
    this.#guarded.set(process.pid, process);
    this.#send({ guard: process });
  }

  forget(pid: number): void {
    this.#guarded.delete(pid);
    this.#send({ forget: pid });
  }

  /** Registers a file or directory that is removed when the launcher dies. */
  removeWhenOrphaned(path: string): void {
    this.#paths.push(path);
    this.#send({ removeWhenOrphaned: path });
  }

  /** Ends the watchdog when no process is left to guard. */
  async close(): Promise<void> {
    this.#closing = true;
    const pid = this.pid;
    const record = {
      name: 'watchdog',
      pid,
      startedAt: processIdentity(pid),
      stage: 0,
      signals: [],
      graceMs: 0,
    };
    this.#send({ bye: true });
    this.#child.stdin?.end();
    if (!(await ended(record, CLOSE_MS))) this.#child.kill('SIGKILL');
  }

  #spawn(): ChildProcess {
    const script = fileURLToPath(new URL('./watchdog-process.js', import.meta.url));
    const child = spawn(process.execPath, [script], {
      // It runs in its own group, so that Ctrl-C or a kill of the launcher's group does not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
    });
    child.stdin?.on('error', () => {});
    child.on('error', () => {});
    child.on('exit', () => {
      if (!this.#closing) setTimeout(() => this.#replace(), RESTART_MS).unref();
    });
    // It must not keep the launcher's event loop alive.
    child.unref();
    return child;
  }

  #replace(): void {
    if (this.#closing) return;
    this.#child = this.#spawn();
    for (const process of this.#guarded.values()) this.#send({ guard: process });
    for (const path of this.#paths) this.#send({ removeWhenOrphaned: path });
  }

  #send(message: WatchdogMessage): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
