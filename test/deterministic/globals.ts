import { AsyncResource } from 'node:async_hooks';
import crypto from 'node:crypto';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';
import timersPromises from 'node:timers/promises';
import { Random } from '../support/harness/random.ts';
import { type Planned, type Scheduler, beginsAtMs, runningProcess } from './scheduler.ts';

type Callback = (...args: unknown[]) => void;

/** The replacement of Node's timer. */
class SimulatedTimer {
  planned: Planned | null = null;
  cancelled = false;
  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
  close = (): this => this.cancel();
  refresh = (): this => this;

  cancel(): this {
    this.cancelled = true;
    this.planned?.cancel();
    return this;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** What the replacements use now: those of the seed that is played. */
let current: { scheduler: () => Scheduler; random: Random } | null = null;

function playing(): { scheduler: () => Scheduler; random: Random } {
  if (current === null) throw new Error('nothing is simulated');
  return current;
}

type Replacement = readonly [owner: object, name: string, by: unknown];

class NoObserver {
  observe(): void {}
  disconnect(): void {}
}

/** Made once for all seeds, because a module that is loaded while one is played may keep them. */
const replacements: readonly Replacement[] = [
  [globalThis, 'Date', simulatedDate()],
  [performance, 'now', () => playing().scheduler().nowMs - beginsAtMs],
  // A real observer never ends, and would keep everything that the metrics of a process read.
  [perfHooks, 'PerformanceObserver', NoObserver],
  ...simulatedTimers(),
  ...simulatedRandom(),
  // The seed does not determine when real reads end.
  [fsPromises, 'readdir', async (...args: unknown[]) => Reflect.apply(fs.readdirSync, fs, args)],
  [fsPromises, 'readFile', async (...args: unknown[]) => Reflect.apply(fs.readFileSync, fs, args)],
];

/**
 * Replaces clock, timers, random values and asynchronous file reads by simulated ones, for all code of this
 * process: the service, its libraries and PostgreSQL, which reads the time from JavaScript. The clock of a
 * simulated process may be wrong. Workflows have their own clock. Returns a function that restores the real
 * ones.
 */
export function simulateGlobals(scheduler: () => Scheduler, seed: number): () => void {
  current = { scheduler, random: new Random(seed ^ 0x51ed270b) };
  const undo = replacements.map(([owner, name, by]) => replace(owner, name, by));
  syncBuiltinESMExports();
  return () => {
    for (const putBack of undo.toReversed()) putBack();
    syncBuiltinESMExports();
  };
}

/** Replaces a property. Returns a function that restores it. */
export function replace(owner: object, name: string, by: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value: by, writable: true, configurable: true, enumerable: true });
  return () => {
    if (before) Object.defineProperty(owner, name, before);
    else Reflect.deleteProperty(owner, name);
  };
}

function simulatedDate(): DateConstructor {
  const now = (): number => Math.floor(playing().scheduler().nowMs + (runningProcess()?.skewMs ?? 0));
  const RealDate = Date;
  class SimulatedDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(now());
      else super(...(given as [number]));
    }

    static override now(): number {
      return now();
    }

    static override [Symbol.hasInstance](value: unknown): boolean {
      return RealDate.prototype.isPrototypeOf(Object(value));
    }
  }
  return SimulatedDate as DateConstructor;
}

function simulatedTimers(): Replacement[] {
  const scheduler = (): Scheduler => playing().scheduler();
  const later = (callback: Callback, ms: unknown, args: unknown[], repeats: boolean): SimulatedTimer => {
    const timer = new SimulatedTimer();
    const bound = AsyncResource.bind(() => callback(...args));
    const delayMs = Math.max(1, Number(ms) || 0);
    const plan = (): void => {
      timer.planned = scheduler().after(delayMs, null, () => {
        if (timer.cancelled) return;
        if (repeats) plan();
        bound();
      });
    };
    plan();
    return timer;
  };
  const clear = (timer: unknown): void => {
    if (timer instanceof SimulatedTimer) timer.cancel();
  };
  const sleep = (ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clear(timer);
        reject(signal?.reason);
      };
      const end = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      };
      const timer = later(end, ms, [], false);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  const timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    later(() => controller.abort(error), ms, [], false);
    return controller.signal;
  };
  return [
    [
      globalThis,
      'setTimeout',
      (callback: Callback, ms: unknown, ...args: unknown[]) => later(callback, ms, args, false),
    ],
    [
      globalThis,
      'setInterval',
      (callback: Callback, ms: unknown, ...args: unknown[]) => later(callback, ms, args, true),
    ],
    [globalThis, 'clearTimeout', clear],
    [globalThis, 'clearInterval', clear],
    [timersPromises, 'setTimeout', sleep],
    [AbortSignal, 'timeout', timeout],
  ];
}

function simulatedRandom(): Replacement[] {
  const below = (bound: number): number => playing().random.below(bound);
  const fill = <View extends ArrayBufferView>(view: View): View => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = below(256);
    return view;
  };
  const bytes = (size: number): Buffer => fill(Buffer.alloc(size));
  const uuid = (): string => {
    const drawn = bytes(16);
    drawn[6] = ((drawn[6] ?? 0) & 0x0f) | 0x40;
    drawn[8] = ((drawn[8] ?? 0) & 0x3f) | 0x80;
    return drawn.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const between = (low: number, high?: number): number =>
    high === undefined ? below(low) : low + below(high - low);
  return [
    [Math, 'random', () => playing().random.next()],
    [crypto, 'randomUUID', uuid],
    [crypto, 'randomBytes', bytes],
    [crypto, 'randomInt', between],
    [crypto, 'randomFillSync', fill],
    [globalThis.crypto, 'getRandomValues', fill],
    [globalThis.crypto, 'randomUUID', uuid],
    [globalThis.crypto.subtle, 'digest', digest],
  ];
}

/** Runs without the thread pool, because the seed does not determine when a thread would end. */
async function digest(algorithm: string | { name: string }, data: Uint8Array): Promise<ArrayBuffer> {
  const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
  const hash = crypto.createHash(name.replace('-', '').toLowerCase()).update(data).digest();
  return new Uint8Array(hash).buffer;
}
