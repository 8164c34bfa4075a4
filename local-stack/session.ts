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

/** The content of `stack.json`, apart from the process ids (docs/operations.md). */
export interface StackDescription {
  baseUrl: string;
  /** Addresses of all API processes; the first is `baseUrl`. */
  apiUrls: string[];
  /** Addresses of the private ports and of the metrics there, by the name of the process. */
  privateUrls: Record<string, string>;
  metricsUrls: Record<string, string>;
  vaultUrl: string;
  networkUrl: string;
  /** The simulators of live payments. */
  liveVaultUrl: string;
  liveNetworkUrl: string;
  /** Addresses of the dialects, when the sandbox uses them. */
  stripeUrl?: string;
  pciVaultUrl?: string;
  temporalAddress: string;
  temporalUiUrl: string | null;
  databaseUrl: string;
  /** Address of the replica, with `--standby`. */
  standbyUrl?: string;
  merchantId: string;
  sandboxApiKey: string;
  demoPaymentId: string | null;
  /** A link that signs the owner of the sandbox merchant in once. */
  dashboardUrl: string;
}

/**
 * A launcher's ownership of a data directory: its lock, secrets, ports and running processes. Started
 * processes are recorded for the watchdog and the next launcher, which stop them when this launcher is
 * killed.
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
      print: output.line,
    });
  }

  /**
   * Locks and prepares the data directory. Throws StackProblem, before changing anything, when it is locked.
   */
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

  /** Publishes `stack.json`, and from now on updates it when processes change. */
  publish(description: StackDescription): void {
    this.#description = description;
    this.#record();
  }

  /** Stops all processes in order, then removes `stack.json`: when it is absent, nothing runs. */
  async stop(): Promise<void> {
    this.#lock.update({ stopping: true });
    await this.supervisor.stop();
    rmSync(this.dataDir.stackFile, { force: true });
    rmSync(this.dataDir.runFile, { force: true });
    await this.watchdog.close();
    this.#lock.release();
  }

  /** Kills all processes at once. */
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
