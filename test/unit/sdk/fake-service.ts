import { CardPayments, type ClientOptions } from '../../../sdk/typescript/src/index.ts';

/** A request as the fake service received it. */
export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: Record<string, unknown> | null;
  signal: AbortSignal | null;
}

/** The fake service's response to a request: an answer, or an error like that of a broken connection. */
export type Respond = (sent: Sent, number: number) => Response | Promise<Response>;

export const apiKey = 'cps_sandbox_abcdefgh_0123456789012345678901234567890123456789012ABCDEF';
export const paymentId = '01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90';

/** Returns a client whose requests are answered by `respond`, and the requests it has made. */
export function clientOf(respond: Respond, options: ClientOptions = {}): { cp: CardPayments; sent: Sent[] } {
  const sent: Sent[] = [];
  const cp = new CardPayments({
    apiKey,
    baseUrl: 'https://pay.example',
    ...options,
    fetch: async (url, init) => {
      const { pathname, searchParams } = new URL(url);
      const request: Sent = {
        method: init.method ?? 'GET',
        path: pathname,
        query: searchParams,
        headers: new Headers(init.headers),
        body: typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : null,
        signal: init.signal ?? null,
      };
      sent.push(request);
      return respond(request, sent.length);
    },
  });
  return { cp, sent };
}

/** Returns an answer of the service. */
export const data = (value: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ data: value }, { headers: { 'request-id': 'req_1', ...headers } });

/** Returns a refusal of the service. */
export const refusal = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  field?: string,
): Response =>
  Response.json(
    { error: { code, message: `Refused: ${code}.`, ...(field === undefined ? {} : { field }) } },
    { status, headers: { 'request-id': 'req_1', ...headers } },
  );

/** Throws like a connection that ends before an answer. */
export function cut(): never {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
}

export const checkoutState = (status: string, attemptsLeft = 5, more: object = {}): Response =>
  data({ paymentId, status, attemptsLeft, expiresAt: '2026-03-01T12:30:00.000Z', action: null, ...more });

export const payment = (status: string, more: object = {}): object => ({
  id: paymentId,
  reference: 'order-1001',
  status,
  amountCents: 2500,
  currency: 'USD',
  checkoutUrl: null,
  failureCode: null,
  metadata: {},
  expiresAt: '2026-03-01T12:30:00.000Z',
  environment: 'sandbox',
  ...more,
});

export const card = { cardToken: 'tok_5f0c2b7e9a41d83c', captureReference: 'cap_8Jd02mKq' };
