import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const megabytes = 1_024;
const mountMs = 10_000;
const block = Buffer.alloc(1024 * 1024);

/** A separate file system, which the harness can fill. */
export class SmallDisk {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Mounts a file system of 1 GB in memory there; returns undefined where this process may not mount. */
  static mount(directory: string): SmallDisk | undefined {
    mkdirSync(directory, { recursive: true });
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', directory];
    if (process.platform !== 'linux' || run('mount', options) !== 0) return undefined;
    chmodSync(directory, 0o755);
    return new SmallDisk(directory);
  }

  /** Writes until the file system is full. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    // The last pieces are small, so that not even one page of PostgreSQL fits.
    for (const bytes of [block.length, 4_096]) writeUntilFull(file, bytes);
    closeSync(file);
  }

  /** Frees the space that `fill` used. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** Unmounts it, also while a file is open there. */
  unmount(): void {
    run('umount', ['--lazy', this.directory]);
  }

  get #ballast(): string {
    return join(this.directory, 'ballast');
  }
}

function writeUntilFull(file: number, bytes: number): void {
  try {
    while (writeSync(file, block, 0, bytes) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

const run = (program: string, args: string[]): number | null =>
  spawnSync(program, args, { timeout: mountMs, stdio: 'ignore' }).status;
