import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 100;
const BETWEEN_TRIES_MS = 20;

/**
 * Reads the coverage of running processes that loaded `preload.mjs`. `take` returns the files that they
 * entered since the last `take`. Throws when a process does not answer within two seconds.
 */
export class Coverage {
  readonly #directory: string;
  readonly #turns = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(pids: readonly number[]): Promise<string[]> {
    const lists = await Promise.all(pids.map((pid) => this.#takeOne(pid)));
    return [...new Set(lists.flat())];
  }

  async #takeOne(pid: number): Promise<string[]> {
    const turn = (this.#turns.get(pid) ?? 0) + 1;
    this.#turns.set(pid, turn);
    const path = join(this.#directory, `${pid}-${turn}.json`);
    process.kill(pid, 'SIGWINCH');
    for (let tried = 0; tried < TRIES; tried += 1) {
      if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as string[];
      await sleep(BETWEEN_TRIES_MS);
    }
    throw new Error(`process ${pid} did not write its coverage`);
  }
}
