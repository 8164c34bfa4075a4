import { randomUUID } from 'node:crypto';
import { jsonData } from './answers.ts';

/** An answer of the API, with its parsed body. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // Tests read bodies of many shapes. A wrong path fails the assertion that reads it.
  body: {
    data?: Record<string, unknown> & { [key: string]: never };
    error?: { code: string; message: string; field?: string };
  };
}

/** A merchant's backend for tests: one key, plain HTTP. */
export class Shop {
  readonly baseUrl: string;
  readonly key: string;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    let parsed: unknown = {};
    try {
      parsed = text === '' ? {} : JSON.parse(text);
    } catch {
      // The assertion fails later, because a body that is not JSON has neither data nor error.
    }
    return { status: response.status, headers: response.headers, text, body: parsed as Answer['body'] };
  }

  /** Posts a valid create request; `fields` replace or add. */
  create(fields: Record<string, unknown> = {}, key: string = randomUUID()): Promise<Answer> {
    return this.call('POST', '/v1/payments', { ...validCreate, ...fields }, { 'idempotency-key': key });
  }

  /** Creates a custom payment and returns its id. */
  async customPayment(fields: Record<string, unknown> = {}): Promise<string> {
    const key = randomUUID();
    const answer = await retryWhileUnavailable(() => this.create({ checkoutMode: 'custom', ...fields }, key));
    if (answer.status !== 201) throw new Error(`create answered ${answer.status} ${answer.text}`);
    return String(answer.body.data?.['id']);
  }

  capture(id: string): Promise<Answer> {
    return this.call('POST', `/v1/payments/${id}/capture`);
  }

  pay(id: string, card: { cardToken: string; captureReference: string }): Promise<Answer> {
    return this.call('POST', `/v1/payments/${id}/pay`, card);
  }

  confirm(id: string): Promise<Answer> {
    return this.call('POST', `/v1/payments/${id}/confirm`, {});
  }

  /** Prepares capture and sends a card to the vault. Returns the fields that pay needs. */
  async captureCard(
    id: string,
    number = '4242424242424242',
  ): Promise<{ cardToken: string; captureReference: string }> {
    const prepared = await retryWhileUnavailable(() => this.capture(id));
    if (prepared.status !== 200) throw new Error(`capture answered ${prepared.status} ${prepared.text}`);
    return sendCard((jsonData(prepared) as { capture: CaptureAccess }).capture, number);
  }

  async read(id: string): Promise<Record<string, unknown>> {
    return (await this.call('GET', `/v1/payments/${id}`)).body.data ?? {};
  }

  async status(id: string): Promise<Record<string, unknown>> {
    return (await this.call('GET', `/v1/payments/${id}/status`)).body.data ?? {};
  }

  async checkout(id: string): Promise<Record<string, unknown>> {
    return (await this.call('GET', `/v1/payments/${id}/checkout`)).body.data ?? {};
  }
}

export const validCreate = {
  amountCents: 2500,
  currency: 'USD',
  reference: 'order-1',
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
};

export interface CaptureAccess {
  url: string;
  secret: string;
  reference: string;
  expiresAt: string;
}

/** Posts a test card to the vault, as a merchant's backend does. */
export async function sendCard(
  access: CaptureAccess,
  number: string,
): Promise<{ cardToken: string; captureReference: string }> {
  const response = await fetch(access.url, {
    method: 'POST',
    // It uses its own connection, because the vault may close an idle one just when it is used.
    headers: {
      'content-type': 'application/json',
      'x-cardvault-capture-secret': access.secret,
      'x-pcivault-capture-secret': access.secret,
      connection: 'close',
    },
    body: JSON.stringify({
      card_number: number,
      card_cvv: number.startsWith('3') ? '1234' : '123',
      card_expiry_month: '12',
      card_expiry_year: '40',
    }),
    redirect: 'manual',
  });
  const body = (await response.json()) as { token?: string; reference?: string };
  if (!body.token || !body.reference) throw new Error(`the vault answered ${response.status}`);
  return { cardToken: body.token, captureReference: body.reference };
}

/**
 * Waits until `probe` returns a value other than undefined. It probes often at first, then four times a
 * second.
 */
export async function eventually<T>(probe: () => Promise<T | undefined>, withinMs = 30_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 1.5, 250)) {
    const seen = await probe();
    if (seen !== undefined) return seen;
    if (Date.now() > end) throw new Error('the condition did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/**
 * Repeats a call for a while when it is answered 503, as the API asks merchants to do. A busy machine may
 * answer so.
 */
export async function retryWhileUnavailable(call: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 || Date.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Returns the charges of a payment from the network's own ledger. */
export async function ledger(
  networkUrl: string,
  paymentId: string,
): Promise<{
  charges: { status: string; attemptId: string; amountCents: number }[];
  refunds: { status: string }[];
}> {
  const response = await fetch(`${networkUrl}/ledger?paymentId=${paymentId}`);
  return (await response.json()) as Awaited<ReturnType<typeof ledger>>;
}
