import type { FastifyReply } from 'fastify';

/**
 * Requests that are deliberately not answered. Each holds its socket until the caller closes it. Their number
 * is limited: beyond it the oldest is cut, so that endless callers cannot exhaust the process.
 */
export class Holds {
  readonly #limit: number;
  readonly #held = new Set<FastifyReply>();

  constructor(limit = 1_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(reply: FastifyReply): void {
    reply.hijack();
    if (reply.raw.destroyed) return;
    const oldest = this.#held.values().next().value;
    if (oldest && this.#held.size >= this.#limit) this.#drop(oldest);
    this.#held.add(reply);
    reply.raw.once('close', () => this.#held.delete(reply));
  }

  /** Cuts every held connection, because the process is stopping. */
  releaseAll(): void {
    for (const reply of this.#held) this.#drop(reply);
  }

  #drop(reply: FastifyReply): void {
    this.#held.delete(reply);
    reply.raw.destroy();
  }
}
