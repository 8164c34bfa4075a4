import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { StackProblem } from './problem.ts';

const CALL_MS = 25_000;
const OUTCOME_MS = 30_000;
const POLL_MS = 500;
const AMOUNT_CENTS = 2_500;
const SHIPPING_CENTS = 500;
const CARD = '4242424242424242';

const created = z.object({ data: z.object({ id: z.string(), checkoutUrl: z.string() }) });
const prepared = z.object({
  data: z.object({
    pciConfig: z.object({ provider: z.string() }),
    capture: z.object({ url: z.string(), secret: z.string(), reference: z.string() }),
  }),
});
const captured = z.object({ token: z.string(), reference: z.string() });
const attempted = z.object({ data: z.object({ status: z.string() }) });
const read = z.object({
  data: z.object({
    status: z.string(),
    amountCents: z.number(),
    cardBrand: z.string().nullable(),
    cardLast4: z.string().nullable(),
  }),
});

export interface DemoOptions {
  baseUrl: string;
  apiKey: string;
  line: (text: string) => void;
  signal: AbortSignal;
}

/**
 * Pays once through the public API as a merchant's backend would, and prints each step. Returns the payment's
 * id. Throws StackProblem when a step fails. Spec: custom-mode flow.
 */
export async function demoPayment(options: DemoOptions): Promise<string> {
  const { line } = options;
  const call = caller(options);
  line("Demo payment, as a shop's backend makes one:");

  const payment = await call('POST', '/v1/payments', created, {
    headers: { 'idempotency-key': randomUUID() },
    body: {
      amountCents: AMOUNT_CENTS,
      currency: 'USD',
      reference: 'demo-order',
      successUrl: 'http://localhost/thanks',
      cancelUrl: 'http://localhost/cart',
      checkoutMode: 'custom',
    },
  });
  const { id } = payment.data;
  line(`  1. POST /v1/payments: a payment of 25.00 USD, nothing charged yet. Payment ${id}`);

  const { capture, pciConfig } = (await call('POST', `/v1/payments/${id}/capture`, prepared)).data;
  line('  2. POST /v1/payments/{id}/capture: the shop may now send one card to the vault');

  const card = await call('POST', capture.url, captured, {
    headers: { [`x-${pciConfig.provider.toLowerCase()}-capture-secret`]: capture.secret },
    body: { card_number: CARD, card_cvv: '123', card_expiry_month: '12', card_expiry_year: nextYear() },
  });
  if (card.reference !== capture.reference)
    throw new StackProblem('the vault returned the reference of another capture');
  line(`  3. POST <capture url>: the vault stores card ${CARD} and returns a token for this payment only`);

  const body = { cardToken: card.token, captureReference: card.reference };
  const attempt = await call('POST', `/v1/payments/${id}/pay`, attempted, { body });
  line(`  4. POST /v1/payments/{id}/pay: one charge at the network; the attempt is ${attempt.data.status}`);

  const { data } = await pollOutcome(() => call('GET', `/v1/payments/${id}`, read), options.signal);
  if (data.status !== 'paid') throw new StackProblem(`the demo payment is ${data.status}, not paid`);
  line(
    `  5. GET /v1/payments/{id}: ${data.status}, ${data.cardBrand} ending in ${data.cardLast4}. The shop can ship`,
  );
  await hostedPayment(options);
  return id;
}

/** Creates a second payment, which the reader can pay until its deadline. Spec: MODE-02. */
async function hostedPayment(options: DemoOptions): Promise<void> {
  const { data } = await caller(options)('POST', '/v1/payments', created, {
    headers: { 'idempotency-key': randomUUID() },
    body: {
      amountCents: AMOUNT_CENTS,
      currency: 'USD',
      reference: 'demo-order-2',
      lineItems: [
        { name: 'Coffee beans, 250 g', quantity: 2, amountCents: AMOUNT_CENTS - SHIPPING_CENTS },
        { name: 'Shipping', quantity: 1, amountCents: SHIPPING_CENTS },
      ],
      // In the language of the reader's browser.
      locale: 'auto',
      successUrl: `${options.baseUrl}/demo/thanks`,
      cancelUrl: `${options.baseUrl}/demo/cart`,
    },
  });
  options.line(`  Pay one yourself with card ${CARD}, any future date and any CVV:`);
  options.line(`  ${data.checkoutUrl}`);
}

/** Polls a payment while it is pending: on a slow machine `pay` may return before the outcome is stored. */
async function pollOutcome<T extends { data: { status: string } }>(
  readPayment: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const deadline = Date.now() + OUTCOME_MS;
  for (;;) {
    const payment = await readPayment();
    if (payment.data.status !== 'pending' || Date.now() > deadline) return payment;
    await sleep(POLL_MS, undefined, { signal });
  }
}

interface Request {
  headers?: Record<string, string>;
  body?: unknown;
}

function caller({ baseUrl, apiKey, signal }: DemoOptions) {
  return async <T extends z.ZodType>(
    method: string,
    path: string,
    answer: T,
    request: Request = {},
  ): Promise<z.infer<T>> => {
    const ours = path.startsWith('/');
    const response = await fetch(ours ? `${baseUrl}${path}` : path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
      headers: {
        // The vault belongs to another company: it receives the capture secret and never the API key.
        ...(ours ? { authorization: `Bearer ${apiKey}` } : {}),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const what = `${method} ${ours ? path : '<capture url>'}`;
    const content: unknown = await response.json().catch(() => undefined);
    const parsed = answer.safeParse(content);
    if (response.ok && parsed.success) return parsed.data;
    throw new StackProblem(`${what} answered ${response.status}${errorCode(content)}`);
  };
}

/** Returns only the error code, because messages and bodies of these calls may hold secrets. */
function errorCode(content: unknown): string {
  const parsed = z.object({ error: z.object({ code: z.string() }) }).safeParse(content);
  return parsed.success ? ` ${parsed.data.error.code}` : '';
}

function nextYear(): string {
  return String((new Date().getFullYear() + 1) % 100).padStart(2, '0');
}
