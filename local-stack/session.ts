import { rmSync } from 'node:fs';
import type { Lock } from '../scripts/lib/lock.mjs';
import {
  type DataDir,
  type StackSecrets,
  dataDirAt,
  loadSecrets,
  makeDataDir,
  makeSubdirectories,
  wipeDataDir,
  writeJson,
} from './data-dir.ts';
import { lockDataDir, stopLeftovers, writeRunRecord } from './leftovers.ts';
import type { StackOptions } from './options.ts';
import type { Output } from './progress.ts';
import { type StackPorts, chooseStackPorts } from './stack-ports.ts';
import { Supervisor } from './supervisor.ts';
import { Watchdog } from './watchdog.ts';

/** What `stack.json` tells other programs, beside the process ids (docs/operations.md). */
export interface StackDescription {
  baseUrl: string;
  /** Of every API process; the first is `baseUrl`. */
  apiUrls: string[];
  vaultUrl: string;
  networkUrl: string;
  /** The simulators of live payments. */
  liveVaultUrl: string;
  liveNetworkUrl: string;
  /** Of the dialects, where the sandbox is theirs. */
  stripeUrl?: string;
  pciVaultUrl?: string;
  temporalAddress: string;
  temporalUiUrl: string | null;
  databaseUrl: string;
  merchantId: string;
  sandboxApiKey: string;
  demoPaymentId: string | null;
  /** Signs the owner of the sandbox merchant in, once. */
  dashboardUrl: string;
}

/**
 * One launcher's hold on a data directory: its lock, secrets, ports and running processes. Whatever happens
 * to the launcher, what it started is recorded where the watchdog and the next launcher find it.
 */
export class StackSession {
  readonly dataDir: DataDir;
  readonly secrets: StackSecrets;
  readonly ports: StackPorts;
  readonly supervisor: Supervisor;
  readonly watchdog: Watchdog;
  readonly #lock: Lock;
  #description: StackDescription | undefined;

  private constructor(
    dataDir: DataDir,
    lock: Lock,
    secrets: StackSecrets,
    ports: StackPorts,
    output: Output,
  ) {
    this.dataDir = dataDir;
    this.secrets = secrets;
    this.ports = ports;
    this.#lock = lock;
    this.watchdog = new Watchdog();
    this.watchdog.removeWhenOrphaned(dataDir.stackFile);
    this.supervisor = new Supervisor({
      logsDirectory: dataDir.logs,
      guard: this.watchdog,
      onChange: () => this.#record(),
      say: output.line,
    });
  }

  /** Takes the data directory; throws StackProblem, with nothing changed there, when it cannot be had. */
  static async open(options: StackOptions, output: Output, signal: AbortSignal): Promise<StackSession> {
    const dataDir = dataDirAt(options.dataDir);
    makeDataDir(dataDir);
    const lock = await lockDataDir(dataDir, output.line, signal);
    try {
      await stopLeftovers(dataDir, output.line);
      signal.throwIfAborted();
      rmSync(dataDir.stackFile, { force: true });
      if (options.fresh) wipeDataDir(dataDir);
      makeSubdirectories(dataDir);
      const secrets = loadSecrets(dataDir);
      const ports = await chooseStackPorts(dataDir, options, output.line);
      return new StackSession(dataDir, lock, secrets, ports, output);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Says that the stack is ready; the file follows the processes from now on. */
  publish(description: StackDescription): void {
    this.#description = description;
    this.#record();
  }

  /** Stops every process in order; the file goes last, so that its absence means that nothing runs. */
  async stop(): Promise<void> {
    this.#lock.update({ stopping: true });
    await this.supervisor.stop();
    rmSync(this.dataDir.stackFile, { force: true });
    rmSync(this.dataDir.runFile, { force: true });
    await this.watchdog.close();
    this.#lock.release();
  }

  /** Ends everything at once. */
  kill(): void {
    this.supervisor.kill();
    rmSync(this.dataDir.stackFile, { force: true });
    this.#lock.release();
  }

  #record(): void {
    writeRunRecord(this.dataDir, this.watchdog.pid, this.supervisor.stoppables);
    if (this.#description === undefined) return;
    writeJson(this.dataDir.stackFile, { ...this.#description, processes: this.supervisor.processes });
  }
}
