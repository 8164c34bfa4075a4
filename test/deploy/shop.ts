import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 250;

/** An answer of the API. */
interface Answer {
  status: number;
  data: Record<string, unknown>;
}

/** A card as the vault knows it, for one pay. */
export interface CapturedCard {
  cardToken: string;
  captureReference: string;
}

/** Waits until `probe` returns a value other than undefined. Throws when that takes too long. */
export async function eventually<T>(probe: () => Promise<T | undefined>, withinMs = 30_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await probe();
    if (seen !== undefined) return seen;
    if (Date.now() > end) throw new Error('the condition did not come true in time');
    await sleep(pollMs);
  }
}

/** A merchant's backend: one key, plain HTTP. */
export class Shop {
  readonly #baseUrl: string;
  readonly #networkUrl: string;
  readonly #key: string;

  constructor(stack: { baseUrl: string; networkUrl: string; sandboxApiKey: string }) {
    this.#baseUrl = stack.baseUrl;
    this.#networkUrl = stack.networkUrl;
    this.#key = stack.sandboxApiKey;
  }

  async call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.#baseUrl}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data = {} } = (await answer.json()) as { data?: Record<string, unknown> };
    return { status: answer.status, data };
  }

  /** Creates a payment and has its card captured. */
  async withCard(number = '4242424242424242'): Promise<{ id: string; card: CapturedCard }> {
    const created = await this.call('POST', '/payments', {
      amountCents: 2500,
      currency: 'USD',
      reference: 'order-1',
      checkoutMode: 'custom',
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
    });
    const id = String(created.data['id']);
    const { data } = await this.call('POST', `/payments/${id}/capture`);
    const capture = data['capture'] as { url: string; secret: string };
    const sent = await fetch(capture.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-cardvault-capture-secret': capture.secret },
      body: JSON.stringify({
        card_number: number,
        card_cvv: '123',
        card_expiry_month: '12',
        card_expiry_year: '40',
      }),
    });
    const { token, reference } = (await sent.json()) as { token: string; reference: string };
    return { id, card: { cardToken: token, captureReference: reference } };
  }

  /** Pays a new payment. Returns its id. */
  async paid(number?: string): Promise<string> {
    const { id, card } = await this.withCard(number);
    await this.call('POST', `/payments/${id}/pay`, card);
    return id;
  }

  /** Waits until a field has a value. */
  async untilField(path: string, field: string, value: unknown, withinMs?: number): Promise<true> {
    return eventually(
      async () => ((await this.call('GET', path)).data[field] === value ? true : undefined),
      withinMs,
    );
  }

  /** How often the network took the money of a payment. */
  async captured(id: string): Promise<number> {
    return (await this.charges(id)).filter(({ status }) => status === 'captured').length;
  }

  /** The network's own list of charges of a payment. */
  async charges(id: string): Promise<{ status: string }[]> {
    const answer = await fetch(`${this.#networkUrl}/ledger?paymentId=${id}`);
    return ((await answer.json()) as { charges: { status: string }[] }).charges;
  }
}
