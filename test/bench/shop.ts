import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Http } from './http.ts';

export interface Card {
  cardToken: string;
  captureReference: string;
}

/** Where a card may be sent, once. */
interface CaptureAccess {
  url: string;
  secret: string;
}

/** A payment with a card kept for it: ready to be paid. */
export interface Payable {
  id: string;
  card: Card;
}

const TRIES = 60;
const BETWEEN_TRIES_MS = 500;

/** A merchant's backend that makes each call of a custom checkout, over all APIs in turn. */
export class Shop {
  readonly #http: Http;
  readonly #urls: readonly string[];
  readonly #apiKey: string;
  #turn = 0;

  constructor(http: Http, urls: readonly string[], apiKey: string) {
    this.#http = http;
    this.#urls = urls;
    this.#apiKey = apiKey;
  }

  create(idempotencyKey: string = randomUUID()): Promise<Answer> {
    return this.#call('POST', '/v1/payments', {
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
  }

  capture(id: string): Promise<Answer> {
    return this.#call('POST', `/v1/payments/${id}/capture`);
  }

  /** Sends a card to where the answer of a capture says. */
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

  /** A payment to measure with; insists on it. */
  async newPayment(): Promise<string> {
    const key = randomUUID();
    const answer = await insist(() => this.create(key), 201);
    return String(answer.body.data?.['id']);
  }

  async newPayable(cardNumber?: string): Promise<Payable> {
    const id = await this.newPayment();
    return { id, card: await this.keepCard(await insist(() => this.capture(id), 200), cardNumber) };
  }

  async newPaid(): Promise<Payable> {
    const payable = await this.newPayable();
    await insist(() => this.pay(payable), 200);
    return payable;
  }

  #call(
    method: 'GET' | 'POST',
    path: string,
    { headers, body }: { headers?: Record<string, string>; body?: unknown } = {},
  ): Promise<Answer> {
    this.#turn = (this.#turn + 1) % this.#urls.length;
    return this.#http.call(method, `${this.#urls[this.#turn]}${path}`, {
      headers: { authorization: `Bearer ${this.#apiKey}`, ...headers },
      body,
    });
  }
}

/** Repeats a call while it is answered 503, as the API asks merchants to do. Throws for any other answer. */
async function insist(call: () => Promise<Answer>, hoped: number): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status === hoped) return answer;
    if (answer.status !== 503 || tries === TRIES) {
      throw new Error(`a call to prepare was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await sleep(BETWEEN_TRIES_MS);
  }
}
