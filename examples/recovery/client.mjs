/**
 * What the recovery examples share: a merchant's backend in a few calls, and a way to say what happens.
 *
 * Settings: CARD_PAYMENTS_URL and CARD_PAYMENTS_API_KEY (a sandbox key); without them, those of the stack that
 * `npm start` runs (`.local/stack.json`).
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const callTimeoutMs = 25_000;
const settings = readSettings();

function readSettings() {
  const { CARD_PAYMENTS_URL: url, CARD_PAYMENTS_API_KEY: key } = process.env;
  if (url && key) return { url, key };
  try {
    const stack = JSON.parse(readFileSync('.local/stack.json', 'utf8'));
    return { url: stack.baseUrl, key: stack.sandboxApiKey };
  } catch {
    console.error('Run `npm start` first, or set CARD_PAYMENTS_URL and CARD_PAYMENTS_API_KEY.');
    process.exit(1);
  }
}

/** One call of the merchant API. Answers `{status, headers, data, code}`. */
export async function call(method, path, body, key) {
  const response = await fetch(settings.url + path, {
    method,
    headers: {
      authorization: `Bearer ${settings.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(callTimeoutMs),
  });
  const { data, error } = await response.json();
  return { status: response.status, headers: response.headers, data, code: error?.code };
}

/** An order of the sandbox: each one has a key of its own. */
export const simulate = (path, body) => call('POST', `/v1/sandbox/${path}`, body, randomUUID());

/** Trouble for the next call of the vault or the network that is about this payment. */
export const fault = (target, mode, paymentId) => simulate('faults', { target, mode, count: 1, paymentId });

export const orderBody = (fields = {}) => ({
  amountCents: 2500,
  currency: 'USD',
  reference: `order-${randomUUID().slice(0, 8)}`,
  successUrl: 'http://localhost/thanks',
  cancelUrl: 'http://localhost/cart',
  checkoutMode: 'custom',
  ...fields,
});

/** Creates a payment whose card the merchant's own form takes; answers its id. */
export async function createPayment(fields) {
  const { status, data, code } = await call('POST', '/v1/payments', orderBody(fields), randomUUID());
  check(status === 201, `POST /v1/payments answered ${status} ${code ?? ''}`);
  return data.id;
}

/** Sends a test card to the vault, as the capture access says. Answers what pay needs. */
export async function sendCard(capture, number = '4242424242424242') {
  const response = await fetch(capture.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-cardvault-capture-secret': capture.secret },
    body: JSON.stringify({
      card_number: number,
      card_cvv: '123',
      card_expiry_month: '12',
      card_expiry_year: String((new Date().getFullYear() + 3) % 100),
    }),
    redirect: 'manual',
    signal: AbortSignal.timeout(callTimeoutMs),
  });
  const { token, reference } = await response.json();
  check(reference === capture.reference, 'the vault answered for another capture: abort');
  return { cardToken: token, captureReference: reference };
}

export const prepareCapture = (id) => call('POST', `/v1/payments/${id}/capture`);
/** Prepares capture, waiting as `Retry-After` says while a dependency is away. Answers the capture access. */
export async function captureAccess(id) {
  for (let round = 0; round < 10; round += 1) {
    const { status, headers, data, code } = await prepareCapture(id);
    if (status === 200) return data.capture;
    check(status === 503, `POST capture answered ${status} ${code}`);
    await pause(Number(headers.get('retry-after') ?? 1) * 1_000);
  }
  throw new Error('capture could not be prepared');
}

export const pay = (id, card) => call('POST', `/v1/payments/${id}/pay`, card);
export const readPayment = async (id) => (await call('GET', `/v1/payments/${id}`)).data;
export const readStatus = async (id) => (await call('GET', `/v1/payments/${id}/status`)).data;

/** Polls the checkout with the recommended back-off (2 s, 5 s, then 10 s) while an attempt is processing. `POLL_SECONDS` hurries. */
export async function pollStatus(id, goesOn = ({ status }) => status === 'processing') {
  const hurried = Number(process.env.POLL_SECONDS ?? 0) * 1_000;
  const waits = hurried > 0 ? [hurried, hurried, hurried] : [2_000, 5_000, 10_000];
  for (let round = 0; round < 60; round += 1) {
    const status = await readStatus(id);
    say(`GET status: ${status.status}, ${status.attemptsLeft} attempts left`);
    if (!goesOn(status)) return status;
    await pause(waits[Math.min(round, 2)]);
  }
  throw new Error('the checkout did not settle');
}

/** Reads the payment until it has a status. */
export async function waitForPayment(id, status) {
  for (let round = 0; round < 60; round += 1) {
    const payment = await readPayment(id);
    if (payment.status === status) return payment;
    await pause(500);
  }
  throw new Error(`the payment did not become ${status}`);
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const say = (text) => console.log(`  ${text}`);
export const title = (text) => console.log(`\n${text}`);

/** Ends the example with exit code 1 when something is not as it should be. */
export function check(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}
