import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Log } from './server.ts';
import type { Table } from './tables.ts';
import { Timers } from './timers.ts';

/** One message to send. `envelope` belongs to the sender, which derives address and headers from it. */
export const deliverySchema = z.object({
  messageId: z.string(),
  body: z.string(),
  tries: z.number(),
  nextAt: z.number(),
  envelope: z.record(z.string(), z.string()).optional(),
});
export type Delivery = z.infer<typeof deliverySchema>;

/**
 * Returns a message's address and headers, called before every try. Null when it no longer has an address.
 */
export type Address = (
  delivery: Delivery,
  now: number,
) => { url: string; headers: Record<string, string> } | null;

/** Waits before the second and later tries, ms. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000];
const TIMEOUT_MS = 3_000;
const MAX_WAITING = 10_000;
const MAX_AT_ONCE = 8;

/**
 * Posts messages. A message that was not accepted stays in the journal, so that a restart continues with it.
 * After the last retry it is dropped, because it is only a hint.
 */
export class Deliveries {
  readonly #waiting: Table<Delivery>;
  readonly #address: Address;
  readonly #flushed: () => Promise<void>;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #agent = new Agent({ connections: MAX_AT_ONCE, connectTimeout: TIMEOUT_MS });
  #ready: string[] = [];
  #sending = 0;
  #closed = false;

  /** `flushed`: awaited before each try, so that no message reports a change that a crash could undo. */
  constructor(
    waiting: Table<Delivery>,
    address: Address,
    { flushed, now, log }: { flushed: () => Promise<void>; now: () => number; log: Log },
  ) {
    this.#waiting = waiting;
    this.#address = address;
    this.#flushed = flushed;
    this.#now = now;
    this.#log = log;
    this.#timers = new Timers(now, (id) => this.#enqueue(id));
  }

  /** Continues with the messages of an earlier process. */
  resume(): void {
    for (const [id, delivery] of this.#waiting.entries()) this.#timers.set(id, delivery.nextAt);
  }

  /** Queues a message, to be sent first at `at` (epoch ms; left out: now). */
  send(message: { messageId: string; body: string; envelope?: Record<string, string>; at?: number }): void {
    if (this.#waiting.size >= MAX_WAITING) return this.#log('callback dropped');
    const { at = this.#now(), ...rest } = message;
    const id = randomUUID();
    this.#waiting.put(id, { ...rest, tries: 0, nextAt: at });
    if (at <= this.#now()) this.#enqueue(id);
    else this.#timers.set(id, at);
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
      const delivery = id === undefined ? undefined : this.#waiting.get(id);
      if (id === undefined) return;
      if (!delivery) continue;
      this.#sending += 1;
      void this.#try(id, delivery);
    }
  }

  async #try(id: string, delivery: Delivery): Promise<void> {
    const taken = await this.#deliver(delivery);
    this.#sending -= 1;
    try {
      this.#finish(id, delivery, taken);
    } catch {
      // The journal refused the removal, so the message is still in it. The next start continues with it.
      this.#log('callback not recorded');
    }
    this.#work();
  }

  #finish(id: string, delivery: Delivery, taken: boolean): void {
    if (this.#closed) return;
    const wait = RETRY_AFTER_MS[delivery.tries];
    if (taken || wait === undefined) {
      this.#log(taken ? 'callback taken' : 'callback given up', { tries: delivery.tries + 1 });
      return this.#waiting.delete(id);
    }
    const nextAt = this.#now() + wait;
    this.#waiting.put(id, { ...delivery, tries: delivery.tries + 1, nextAt });
    this.#timers.set(id, nextAt);
  }

  async #deliver(delivery: Delivery): Promise<boolean> {
    const to = this.#address(delivery, this.#now());
    if (!to) return true;
    try {
      await this.#flushed();
      const response = await request(to.url, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: { 'content-type': 'application/json', ...to.headers },
        body: delivery.body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  }
}
