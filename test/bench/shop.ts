import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Http } from './http.ts';

export interface Card {
  cardToken: string;
  captureReference: string;
}

/** The address to which a card may be sent once. */
interface CaptureAccess {
  url: string;
  secret: string;
}

/** A payment with a captured card, ready to be paid. */
export interface Payable {
  id: string;
  card: Card;
}

const TRIES = 60;
const BETWEEN_TRIES_MS = 500;

/** Merchants' backends that make each call of a custom checkout, alternating over all APIs and merchants. */
export class Shop {
  readonly #http: Http;
  readonly #urls: readonly string[];
  readonly #apiKeys: readonly [string, ...string[]];
  /** The merchants' keys of payments that do not belong to the first merchant. */
  readonly #keyOf = new Map<string, string>();
  #turn = 0;

  constructor(http: Http, urls: readonly string[], apiKeys: readonly string[]) {
    const [first, ...others] = apiKeys;
    if (first === undefined) throw new Error('a shop needs a merchant');
    this.#http = http;
    this.#urls = urls;
    this.#apiKeys = [first, ...others];
  }

  /** Creates a payment of the merchant that belongs to the idempotency key. */
  async create(idempotencyKey: string = randomUUID()): Promise<Answer> {
    const apiKey = this.#merchantFor(idempotencyKey);
    const created = await this.#call('POST', '/v1/payments', {
      apiKey,
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        amountCents: 2500,
        currency: 'USD',
        reference: 'bench',
        checkoutMode: 'custom',
        successUrl: 'https://shop.example/ok',
        cancelUrl: 'https://shop.example/no',
      },
    });
    const id = created.body.data?.['id'];
    if (typeof id === 'string' && apiKey !== this.#apiKeys[0]) this.#keyOf.set(id, apiKey);
    return created;
  }

  capture(id: string): Promise<Answer> {
    return this.#call('POST', `/v1/payments/${id}/capture`);
  }

  /** Sends a card to the address in the answer of a capture. */
  async keepCard(captured: Answer, cardNumber = '4242424242424242'): Promise<Card> {
    const { url = '', secret = '' } = (captured.body.data?.['capture'] ?? {}) as Partial<CaptureAccess>;
    const { body } = await this.#http.call('POST', url, {
      headers: { 'x-cardvault-capture-secret': secret },
      body: {
        card_number: cardNumber,
        card_cvv: '123',
        card_expiry_month: '12',
        card_expiry_year: '40',
      },
    });
    return { cardToken: String(body['token']), captureReference: String(body['reference']) };
  }

  pay({ id, card }: Payable): Promise<Answer> {
    return this.#call('POST', `/v1/payments/${id}/pay`, { body: card });
  }

  refund(id: string): Promise<Answer> {
    return this.#call('POST', `/v1/payments/${id}/refunds`, { headers: { 'idempotency-key': randomUUID() } });
  }

  get(path: string): Promise<Answer> {
    return this.#call('GET', path);
  }

  /** Creates a payment to measure with, again while it is answered 503. */
  async newPayment(): Promise<string> {
    const key = randomUUID();
    const answer = await retryCall(() => this.create(key), 201);
    return String(answer.body.data?.['id']);
  }

  async newPayable(cardNumber?: string): Promise<Payable> {
    const id = await this.newPayment();
    return { id, card: await this.keepCard(await retryCall(() => this.capture(id), 200), cardNumber) };
  }

  async newPaid(): Promise<Payable> {
    const payable = await this.newPayable();
    await retryCall(() => this.pay(payable), 200);
    return payable;
  }

  #merchantFor(idempotencyKey: string): string {
    const number = createHash('sha256').update(idempotencyKey).digest().readUInt32BE();
    return this.#apiKeys[number % this.#apiKeys.length] ?? this.#apiKeys[0];
  }

  #call(
    method: 'GET' | 'POST',
    path: string,
    { apiKey, headers, body }: { apiKey?: string; headers?: Record<string, string>; body?: unknown } = {},
  ): Promise<Answer> {
    this.#turn = (this.#turn + 1) % this.#urls.length;
    const [, paymentId = ''] = /^\/v1\/payments\/([^/?]+)/.exec(path) ?? [];
    const key = apiKey ?? this.#keyOf.get(paymentId) ?? this.#apiKeys[0];
    return this.#http.call(method, `${this.#urls[this.#turn]}${path}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      body,
    });
  }
}

/** Repeats a call while it is answered 503, as the API asks merchants to do. Throws for any other answer. */
async function retryCall(call: () => Promise<Answer>, hoped: number): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status === hoped) return answer;
    if (answer.status !== 503 || tries === TRIES) {
      throw new Error(`a call to prepare was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await sleep(BETWEEN_TRIES_MS);
  }
}
