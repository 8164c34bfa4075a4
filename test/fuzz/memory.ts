import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '../support/launcher-process.ts';

/** Returns the resident memory of a process, in MiB, including garbage that is not collected yet. */
export const residentMib = (pid: number): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);

/** Measures the memory that a process holds after a garbage collection. */
export class HeldMemory {
  readonly #directory = mkdtempSync(join(tmpdir(), 'card-payments-memory-'));
  readonly #path = join(this.#directory, 'mib');

  /** The environment variables with which a measured process must be started. */
  readonly settings = {
    FUZZ_MEMORY: this.#path,
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'report-memory.mjs')).href}`,
  };

  /** Returns the memory of the heap and of buffers, in MiB. */
  async mib(pid: number): Promise<number> {
    rmSync(this.#path, { force: true });
    process.kill(pid, 'SIGURG');
    await until(() => existsSync(this.#path));
    return Number(readFileSync(this.#path, 'utf8'));
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }
}
