import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '../../scripts/lib/problem.mjs';
import { migratedTemplate } from './pglite.ts';
import type { SeedResult } from './play-seed.ts';
import { type SimulatedServer, startServer } from './server-backend.ts';
import type { Play } from './shrink.ts';

/** What a process of one seed is to play. */
export interface SeedOrder extends Play {
  seed: number;
  /** Number of steps; null: to the end. */
  until: number | null;
  withStory: boolean;
  /** The PostgreSQL of the seed; null: PGlite. */
  server: SimulatedServer | null;
}

/** The result of a seed, without its logs. `cpuSeconds`: what its process used. */
export type PlayedSeed = SeedResult & { cpuSeconds: number };

/** The descriptor from which the process of a seed reads PGlite's template. */
export const templateDescriptor = 4;

/** How long a seed may take, in ms. Most take half a minute. */
const maxMs = 900_000;

const program = fileURLToPath(new URL('./seed-process.js', import.meta.url));

/**
 * Plays seeds, each in a process of its own: modules keep something of what they did before (counters, pools
 * of random bytes), so that a seed that is played after others in one process differs from the seed alone.
 */
export class SeedProcesses {
  readonly #server: SimulatedServer | null;
  readonly #template: number | null;
  readonly close: () => Promise<void>;

  private constructor(
    started: { server: SimulatedServer } | { template: number },
    close: () => Promise<void>,
  ) {
    this.#server = 'server' in started ? started.server : null;
    this.#template = 'template' in started ? started.template : null;
    this.close = close;
  }

  /** Prepares the database that each seed copies. */
  static async open(backend: 'pglite' | 'server'): Promise<SeedProcesses> {
    if (backend === 'server') {
      const { server, stop } = await startServer();
      return new SeedProcesses({ server }, stop);
    }
    const template = fileWithoutName(new Uint8Array(await (await migratedTemplate()).arrayBuffer()));
    return new SeedProcesses({ template }, async () => closeSync(template));
  }

  /** Plays a seed. Throws Problem when its process ends without a result. */
  async play(order: Omit<SeedOrder, 'server'>): Promise<PlayedSeed> {
    const template = this.#template ?? 'ignore';
    const given: SeedOrder = { ...order, server: this.#server };
    const child = spawn(process.execPath, [...process.execArgv, program, JSON.stringify(given)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', template],
      serialization: 'advanced',
      timeout: maxMs,
      killSignal: 'SIGKILL',
    });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    const result = new Promise<PlayedSeed>((resolve) => {
      child.once('message', (message) => resolve(message as PlayedSeed));
    });
    const first = await Promise.race([result, ended]);
    if (Array.isArray(first)) {
      const [code, signal] = first;
      throw new Problem(`seed ${order.seed}: its process ended with ${signal ?? `exit code ${code}`}`);
    }
    child.disconnect();
    await ended;
    return first;
  }
}

/** Returns a descriptor of a file with these bytes and no name, so that it never outlives its readers. */
function fileWithoutName(bytes: Uint8Array): number {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-template-'));
  const path = join(directory, 'template');
  writeFileSync(path, bytes);
  const descriptor = openSync(path, 'r');
  rmSync(directory, { recursive: true });
  return descriptor;
}
