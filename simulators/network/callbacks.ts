import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import type { Log } from '../server.ts';
import type { Table } from '../tables.ts';
import { Timers } from './timers.ts';
import type { Callback } from './records.ts';

/** News for the service; it says that something changed, not what: the service asks. */
export type News =
  | { type: 'charge.updated'; key: string; paymentId: string }
  | { type: 'refund.updated'; refundKey: string; paymentId: string }
  | { type: 'dispute.updated'; disputeId: string; paymentId: string };

/** Waits before the second and later tries, ms. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000];
const TIMEOUT_MS = 3_000;
const MAX_WAITING = 10_000;
const MAX_AT_ONCE = 8;

/**
 * Sends news to the service, signed as Standard Webhooks 1.0.0. What was not taken yet is in the journal, so
 * a restart goes on with it; after the last retry it is dropped, as it is only a hint.
 */
export class Callbacks {
  readonly #waiting: Table<Callback>;
  readonly #target: { url: string; webhook: Webhook } | null;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #agent = new Agent({ connections: MAX_AT_ONCE, connectTimeout: TIMEOUT_MS });
  #ready: string[] = [];
  #sending = 0;
  #closed = false;

  /** `target.secret`: `whsec_` and base64; null sends nothing. */
  constructor(
    waiting: Table<Callback>,
    target: { url: string; secret: string } | null,
    now: () => number,
    log: Log,
  ) {
    this.#waiting = waiting;
    this.#target = target && { url: target.url, webhook: new Webhook(target.secret) };
    this.#now = now;
    this.#log = log;
    this.#timers = new Timers(now, (id) => this.#enqueue(id));
  }

  /** Goes on with what an earlier process left. */
  resume(): void {
    for (const [id, callback] of this.#waiting.entries()) this.#timers.set(id, callback.nextAt);
  }

  /** Queues `news`, `copies` times under one message id. */
  send(news: News, copies = 1): void {
    if (!this.#target) return;
    const messageId = `msg_${randomUUID()}`;
    const body = JSON.stringify({ ...news, occurredAt: new Date(this.#now()).toISOString() });
    for (let copy = 0; copy < copies; copy += 1) {
      if (this.#waiting.size >= MAX_WAITING) return this.#log('callback dropped', { type: news.type });
      const id = randomUUID();
      this.#waiting.put(id, { messageId, body, tries: 0, nextAt: this.#now() });
      this.#enqueue(id);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timers.close();
    await this.#agent.destroy();
  }

  #enqueue(id: string): void {
    this.#ready.push(id);
    this.#work();
  }

  #work(): void {
    while (!this.#closed && this.#sending < MAX_AT_ONCE) {
      const id = this.#ready.shift();
      const callback = id === undefined ? undefined : this.#waiting.get(id);
      if (id === undefined) return;
      if (!callback) continue;
      this.#sending += 1;
      void this.#try(id, callback);
    }
  }

  async #try(id: string, callback: Callback): Promise<void> {
    const taken = await this.#deliver(callback);
    this.#sending -= 1;
    try {
      this.#settle(id, callback, taken);
    } catch {
      // The journal refused; the callback is still in it and the next start goes on with it.
      this.#log('callback not recorded');
    }
    this.#work();
  }

  #settle(id: string, callback: Callback, taken: boolean): void {
    if (this.#closed) return;
    const wait = RETRY_AFTER_MS[callback.tries];
    if (taken || wait === undefined) {
      this.#log(taken ? 'callback taken' : 'callback given up', { tries: callback.tries + 1 });
      return this.#waiting.delete(id);
    }
    const nextAt = this.#now() + wait;
    this.#waiting.put(id, { ...callback, tries: callback.tries + 1, nextAt });
    this.#timers.set(id, nextAt);
  }

  async #deliver(callback: Callback): Promise<boolean> {
    const target = this.#target;
    if (!target) return true;
    const at = new Date(this.#now());
    try {
      const response = await request(target.url, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: {
          'content-type': 'application/json',
          'webhook-id': callback.messageId,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': target.webhook.sign(callback.messageId, at, callback.body),
        },
        body: callback.body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  }
}
