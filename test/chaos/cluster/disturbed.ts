import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../../../local-stack/supervisor.ts';
import type { OwnProcess } from './plan.ts';

const compileMs = 60_000;
/** Where Debian's package `faketime` has its library. */
const faketimeLibraries = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
];

/**
 * Disturbs the clock, the names and the disk of a stack's processes. Libraries that are loaded before them do
 * this while control files exist: `shim.c`, and Debian's libfaketime for clocks.
 */
export class Disturbed {
  /** Why a kind of fault cannot be made on this machine, by kind; empty when all can. */
  readonly missing: Readonly<Record<string, string>>;
  readonly #directory: string;
  readonly #shim: string | undefined;
  readonly #faketime = faketimeLibraries.find((path) => existsSync(path));

  /** Compiles the shim into `directory`, which PostgreSQL's user must be able to enter. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    this.#shim = compile(directory);
    const noShim = 'the shim needs cc and glibc';
    this.missing = {
      ...(this.#shim === undefined && { 'slow-disk': noShim, 'dns-away': noShim }),
      ...(this.#faketime === undefined && { 'clock-step': "needs Debian's faketime" }),
    };
  }

  /** Returns the program with the libraries loaded before it, where its faults can be of these kinds. */
  amend(program: Program): Program {
    const { name, command } = program;
    const isPostgres = name === 'postgres';
    const isOwn = /^(?:api|worker)/.test(name);
    if (!isPostgres && !isOwn) return program;
    const env: NodeJS.ProcessEnv = { ...command.env };
    const libraries = [this.#shim, isOwn ? this.#faketime : undefined].filter((path) => path !== undefined);
    if (libraries.length > 0) env['LD_PRELOAD'] = libraries.join(':');
    if (isPostgres) env['CHAOS_SLOW_DISK'] = this.#file('slow-disk', name);
    if (isOwn) {
      env['CHAOS_DNS_AWAY'] = this.#file('dns-away', name);
      this.stepClock(name, 0);
      env['FAKETIME_TIMESTAMP_FILE'] = this.#file('clock', name);
      // Read again once a second. Timers use the monotonic clock, which stays right.
      env['FAKETIME_CACHE_DURATION'] = '1';
      env['DONT_FAKE_MONOTONIC'] = '1';
      // Names instead of addresses, so that the processes look them up.
      for (const setting of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'VAULT_URL', 'NETWORK_URL']) {
        env[setting] = env[setting]?.replace('127.0.0.1', 'localhost');
      }
    }
    return { ...program, command: { ...command, env } };
  }

  /** The process's clock is wrong by so many seconds from now on. */
  stepClock(name: string, seconds: number): void {
    writeFileSync(this.#file('clock', name), `${seconds < 0 ? '' : '+'}${seconds}`);
  }

  /** Each sync of PostgreSQL's files takes so many ms longer; 0 is as usual. */
  slowDisk(ms: number): void {
    this.#switch(this.#file('slow-disk', 'postgres'), ms > 0 ? String(ms) : undefined);
  }

  /** Whether the process finds no host name. */
  loseNames(name: OwnProcess, lost: boolean): void {
    this.#switch(this.#file('dns-away', name), lost ? '' : undefined);
  }

  #file(what: string, name: string): string {
    return join(this.#directory, `${what}-${name}`);
  }

  #switch(path: string, text: string | undefined): void {
    if (text === undefined) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }
}

/** Returns the path of the compiled shim, or undefined where it cannot be compiled. */
function compile(directory: string): string | undefined {
  const source = fileURLToPath(new URL('./shim.c', import.meta.url));
  const library = join(directory, 'shim.so');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], {
    timeout: compileMs,
    stdio: 'ignore',
  });
  return status === 0 ? library : undefined;
}
