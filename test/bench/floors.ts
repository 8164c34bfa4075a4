import { randomUUID } from 'node:crypto';
import { type Call, closedLoop, inParallel } from './drive.ts';
import type { Figures } from './figures.ts';
import { type Http, outcomeOf } from './http.ts';
import type { Meter } from './meter.ts';
import type { Sizes } from './options.ts';

/**
 * The minimum work of a service of this form, over HTTP like the calls it is compared with. `first update`:
 * to a workflow that waits since its start, so that the worker only receives it now. `bare pay`: the same,
 * with a reservation before it, two calls and two commits in its local activity. `whole` is start, insert and
 * the local update, one after the other.
 */
export const floorNames = [
  'insert',
  'read',
  'insert + start',
  'update + local activity',
  'first update + local activity',
  'update + activity',
  'bare pay',
  'query',
  'whole',
] as const;
export type FloorName = (typeof floorNames)[number];

/** On a shared machine, an older floor is not comparable with a current measurement. */
const FRESH_MS = 30_000;
const WARM_CALLS = 64;
const WARM_SECONDS = 2;
const AT_ONCE = 16;

export interface FloorParts {
  url: string;
  http: Http;
  meter: Meter;
  sizes: Sizes;
  add: (figures: Figures) => void;
  signal: AbortSignal;
}

/** The floors of this run, each measured on demand, just before the call that is compared with it. */
export class Floors {
  readonly #parts: FloorParts;
  readonly #known = new Map<string, { figures: Figures; atMs: number }>();
  readonly #warm = new Set<FloorName>();

  constructor(parts: FloorParts) {
    this.#parts = parts;
  }

  async of(name: FloorName, callers: 1 | 4 | 16): Promise<Figures> {
    const key = `${name} ${callers}`;
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() - known.atMs < FRESH_MS) return known.figures;
    const { sizes, meter, signal, add } = this.#parts;
    if (!this.#warm.has(name)) {
      this.#warm.add(name);
      const { call } = await this.#prepare(name, WARM_CALLS);
      await closedLoop(call, { callers: AT_ONCE, maxCalls: WARM_CALLS, seconds: WARM_SECONDS, signal });
    }
    const maxCalls = usesUp(name) ? sizes.consumed[callers] : Number.POSITIVE_INFINITY;
    const { call, sample } = await this.#prepare(name, sizes.consumed[callers]);
    const figures = await meter.measure({ section: 'floor', name, callers, sample }, () =>
      closedLoop(call, {
        callers,
        maxCalls,
        minCalls: sizes.minCalls[callers],
        seconds: sizes.callSeconds,
        signal,
      }),
    );
    this.#known.set(key, { figures, atMs: performance.now() });
    add(figures);
    return figures;
  }

  async #prepare(name: FloorName, count: number): Promise<{ call: Call; sample: string[] }> {
    const begun: string[] = [];
    const ask = (method: 'GET' | 'POST', path: string): Promise<string> =>
      outcomeOf(this.#parts.http.call(method, `${this.#parts.url}${path}`), 200);
    const made = (kind: 'row' | 'start' | 'start-later'): Promise<string[]> =>
      inParallel(count, AT_ONCE, async () => {
        const id = randomUUID();
        const outcome = await ask('POST', `/${kind}/${id}`);
        if (outcome !== 'ok') throw new Error(`the floor answered ${outcome}`);
        return id;
      });
    switch (name) {
      case 'insert':
        return { call: () => ask('POST', `/row/${randomUUID()}`), sample: [] };
      case 'insert + start':
      case 'whole': {
        const call = async (): Promise<string> => {
          const id = randomUUID();
          const started = await ask('POST', `/start/${id}`);
          begun.push(id);
          return started === 'ok' && name === 'whole' ? ask('POST', `/update/local/${id}`) : started;
        };
        return { call, sample: begun };
      }
      case 'read': {
        const ids = await made('row');
        return { call: (index) => ask('GET', `/row/${ids[index % ids.length]}`), sample: [] };
      }
      case 'query': {
        const ids = await made('start');
        return { call: (index) => ask('GET', `/query/${ids[index % ids.length]}`), sample: [] };
      }
      case 'bare pay': {
        const ids = await made('start-later');
        return { call: (index) => ask('POST', `/pay/${ids[index]}`), sample: ids };
      }
      case 'update + local activity':
      case 'first update + local activity':
      case 'update + activity': {
        const ids = await made(name.startsWith('first') ? 'start-later' : 'start');
        const update = name === 'update + activity' ? 'activity' : 'local';
        return { call: (index) => ask('POST', `/update/${update}/${ids[index]}`), sample: ids };
      }
    }
  }
}

/** Whether a floor needs a new workflow for each call, because an update needs one without updates. */
const usesUp = (name: FloorName): boolean => name.includes('update') || name === 'bare pay';
