import { Agent, request } from 'undici';
import { z } from 'zod';

const revealSchema = z.object({ number: z.string().regex(/^\d{12,19}$/) });
const TIMEOUT_MS = 3_000;

/**
 * The card of a token: its number, `unknown` when the vault has no such card, `unreachable` when the vault
 * cannot be called.
 */
export type Reveal = { number: string } | 'unknown' | 'unreachable';

/** Reads cards from the vault. A number stays in memory only while one charge is decided. */
export class VaultClient {
  readonly #url: string;
  readonly #key: string;
  readonly #agent = new Agent({ connections: 64, connectTimeout: TIMEOUT_MS });

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async reveal(token: string, paymentId: string): Promise<Reveal> {
    try {
      const response = await request(`${this.#url}/network/cards/reveal`, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ token, paymentId }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const body: unknown = await response.body.json();
      if (response.statusCode === 404) return 'unknown';
      return response.statusCode === 200 ? { number: revealSchema.parse(body).number } : 'unreachable';
    } catch {
      // Nothing was charged in any of these cases, so the caller may try again.
      return 'unreachable';
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
