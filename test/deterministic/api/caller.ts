import { ApiClient } from '../../chaos/api-client.ts';
import type { Call } from '../../chaos/history.ts';
import type { Made } from '../../chaos/made.ts';
import type { Workload } from '../../chaos/workload.ts';
import { Random } from '../../support/harness/random.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Shop } from '../shop.ts';
import type { World } from '../world.ts';

/** What the clients of the further API share. */
export interface ApiContext {
  world: World;
  workload: Workload;
  scheduler: Scheduler;
  made: Made;
}

/** The first number of these clients in the history; those that pay have smaller ones. */
const firstIndex = 1_000;

/** A part of the answer to a list. */
interface Listed {
  data?: { id?: string }[];
  meta?: { nextCursor?: string | null };
}

/** One client of a shop beside those that pay. Its calls go into the history too. */
export class Caller {
  readonly context: ApiContext;
  readonly shop: Shop;
  readonly random: Random;
  readonly index: number;
  readonly client: ApiClient;
  #keys = 0;

  constructor(context: ApiContext, shop: Shop, random: Random, index: number) {
    this.context = context;
    this.shop = shop;
    this.random = random;
    this.index = firstIndex + index;
    const { apis, history, payUntilMs: untilMs } = context.workload;
    this.client = new ApiClient({ index: this.index, apis, apiKey: shop.apiKey, random, history, untilMs });
  }

  /** Returns the same client with another key. */
  withKey(apiKey: string): Caller {
    const { context, shop, random, index } = this;
    return new Caller(
      context,
      { ...shop, apiKey },
      new Random(random.between(1, 2 ** 31)),
      index - firstIndex,
    );
  }

  /** Reads an answer of any shape. */
  read(path: string, accept?: string): Promise<Call> {
    return this.client.call({ op: 'browse', method: 'GET', path, isAnyShape: true, accept });
  }

  /** Reads a list; returns the ids in it and its cursor. */
  async list(path: string): Promise<{ ids: string[]; cursor: string | null }> {
    const { result, text } = await this.read(path);
    const listed = result === 'ok' ? (JSON.parse(text) as Listed) : {};
    return {
      ids: (listed.data ?? []).flatMap(({ id }) => id ?? []),
      cursor: listed.meta?.nextCursor ?? null,
    };
  }

  /** Sends a change that may be repeated, until it is answered. */
  change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Call | null> {
    return this.client.callWithRetries({ op: 'change', method, path, body, isAnyShape: true });
  }

  /**
   * Sends a change under a new key until it is answered; sometimes again, also with another body, which must
   * be refused.
   */
  async keyed(op: string, path: string, body: object): Promise<Call | null> {
    const key = this.newKey(op);
    const request = { op, method: 'POST', path, body, key } as const;
    const answer = await this.client.callWithRetries(request);
    if (this.random.chance(0.2)) await this.client.callWithRetries(request);
    if (answer?.result === 'ok' && this.random.chance(0.2)) {
      await this.client.call({ ...request, op: 'reuseKey', body: { ...body, ...otherBody(body) } });
    }
    return answer;
  }

  newKey(op: string): string {
    this.#keys += 1;
    return `api-${op}-${this.index}-${this.#keys}-${this.random.between(1, 1e9)}`;
  }
}

/** Returns a valid change of a body, for a call under the same key. */
function otherBody(body: object): object {
  if ('amountCents' in body) return { amountCents: 12_345 };
  if ('bySeconds' in body) return { bySeconds: 7 };
  if ('result' in body) return { result: body.result === 'failed' ? 'authenticated' : 'failed' };
  if ('outcome' in body) return { outcome: body.outcome === 'failed' ? 'paid' : 'failed' };
  if ('count' in body) return { count: 77 };
  return { reason: 'other' };
}
