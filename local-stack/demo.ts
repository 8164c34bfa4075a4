import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { StackProblem } from './problem.ts';

const CALL_MS = 25_000;
const SETTLE_MS = 30_000;
const POLL_MS = 500;
const AMOUNT_CENTS = 2_500;
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
 * Pays once through the public API as a merchant's backend would, telling each step. Returns the payment's
 * id.
 * Throws StackProblem when a step does not go as it should. Spec: custom-mode flow.
 */
export async function demoPayment(options: DemoOptions): Promise<string> {
  const { line } = options;
  const call = caller(options);
  line('Demo payment, as the backend of a shop would make it:');

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
  line(`  1. POST /v1/payments: 25.00 USD asked for, nothing charged yet. Payment ${id}`);

  const { capture, pciConfig } = (await call('POST', `/v1/payments/${id}/capture`, prepared)).data;
  line(
    '  2. POST /v1/payments/{id}/capture: the shop may now send one card to the vault, not to the service',
  );

  const card = await call('POST', capture.url, captured, {
    headers: { [`x-${pciConfig.provider.toLowerCase()}-capture-secret`]: capture.secret },
    body: { card_number: CARD, card_cvv: '123', card_expiry_month: '12', card_expiry_year: nextYear() },
  });
  if (card.reference !== capture.reference) throw new StackProblem('the vault answered for another capture');
  line(
    `  3. POST <capture url>: the vault keeps card ${CARD} and answers a token good for this payment only`,
  );

  const body = { cardToken: card.token, captureReference: card.reference };
  const attempt = await call('POST', `/v1/payments/${id}/pay`, attempted, { body });
  line(`  4. POST /v1/payments/{id}/pay: the network was asked once; the attempt is ${attempt.data.status}`);

  const { data } = await untilSettled(() => call('GET', `/v1/payments/${id}`, read), options.signal);
  if (data.status !== 'paid') throw new StackProblem(`the demo payment is ${data.status}, not paid`);
  line(
    `  5. GET /v1/payments/{id}: ${data.status}, ${data.cardBrand} ending in ${data.cardLast4}: the shop can ship`,
  );
  await hostedPayment(options);
  return id;
}

/** A second payment is left for whoever reads this: the page stays open until its deadline. Spec: MODE-02. */
async function hostedPayment(options: DemoOptions): Promise<void> {
  const { data } = await caller(options)('POST', '/v1/payments', created, {
    headers: { 'idempotency-key': randomUUID() },
    body: {
      amountCents: AMOUNT_CENTS,
      currency: 'USD',
      reference: 'demo-order-2',
      successUrl: `${options.baseUrl}/demo/thanks`,
      cancelUrl: `${options.baseUrl}/demo/cart`,
    },
  });
  options.line(`  Pay one yourself, with card ${CARD}, any date to come and any code:`);
  options.line(`  ${data.checkoutUrl}`);
}

/** A slow machine may answer `pay` before the payment is settled; reading is always safe. */
async function untilSettled<T extends { data: { status: string } }>(
  look: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const seen = await look();
    if (seen.data.status !== 'pending' || Date.now() > deadline) return seen;
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
        // The vault is another company: it gets the capture secret and never the key.
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

/** Only the code: messages and bodies of these calls may hold secrets. */
function errorCode(content: unknown): string {
  const parsed = z.object({ error: z.object({ code: z.string() }) }).safeParse(content);
  return parsed.success ? ` ${parsed.data.error.code}` : '';
}

function nextYear(): string {
  return String((new Date().getFullYear() + 1) % 100).padStart(2, '0');
}
