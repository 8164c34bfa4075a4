/**
 * The shared code of the recovery examples: a merchant's backend that uses the client of sdk/typescript, and
 * a function that prints what happens.
 * In your own backend: `import { CardPayments } from '@card-payments/sdk'`.
 *
 * Settings: CARD_PAYMENTS_URL and CARD_PAYMENTS_API_KEY (a sandbox key); without them, those of the stack
 * that `npm start` runs (`.local/stack.json`).
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The client, and its classes of errors. `npm start` builds it. */
export const sdk = await import('../../dist/sdk/typescript/src/index.js').catch(startFirst);
export const cp = new sdk.CardPayments(readSettings());

function readSettings() {
  const { CARD_PAYMENTS_URL: baseUrl, CARD_PAYMENTS_API_KEY: apiKey } = process.env;
  if (baseUrl && apiKey) return { baseUrl, apiKey };
  try {
    const stack = JSON.parse(readFileSync('.local/stack.json', 'utf8'));
    return { baseUrl: stack.baseUrl, apiKey: stack.sandboxApiKey };
  } catch {
    return startFirst();
  }
}

function startFirst() {
  console.error('Run `npm start` first, or set CARD_PAYMENTS_URL and CARD_PAYMENTS_API_KEY.');
  process.exit(1);
}

/** Injects a fault into the next call to the vault or the network that is about this payment. */
export const fault = (target, mode, paymentId) =>
  cp.sandbox.injectFault({ target, mode, count: 1, paymentId });

export const order = (fields = {}) => ({
  amountCents: 2500,
  currency: 'USD',
  reference: `order-${randomUUID()}`,
  successUrl: 'http://localhost/thanks',
  cancelUrl: 'http://localhost/cart',
  checkoutMode: 'custom',
  ...fields,
});

/** Creates a payment whose card the merchant's own form takes; returns its id. */
export async function createPayment(fields) {
  const params = order(fields);
  return (await cp.payments.createOnce(params.reference, params)).id;
}

/** Sends a test card to the vault; returns the card for pay. */
export const sendCard = (access) =>
  cp.vault.capture(access, {
    number: '4242424242424242',
    cvv: '123',
    expiryMonth: 12,
    expiryYear: new Date().getFullYear() + 3,
  });

/** Prepares capture. While a dependency is unavailable, waits as long as the service says. */
export async function captureAccess(id) {
  for (let round = 0; round < 10; round += 1) {
    try {
      return await cp.payments.prepareCapture(id);
    } catch (error) {
      if (!(error instanceof sdk.ServiceUnavailableError)) throw error;
      await pause((error.retryAfterSeconds ?? 1) * 1_000);
    }
  }
  throw new Error('capture could not be prepared');
}

/** Creates a payment and captures a card for it. */
export async function captured() {
  const id = await createPayment();
  return { id, card: await sendCard(await captureAccess(id)) };
}

/** Returns the error of a call that must be refused. */
export async function refusalOf(call) {
  const error = await call.then(
    () => null,
    (thrown) => thrown,
  );
  check(error instanceof sdk.APIError, `the call should be refused: ${error?.message ?? 'it was not'}`);
  return error;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const say = (text) => console.log(`  ${text}`);
export const title = (text) => console.log(`\n${text}`);

/** Ends the example with exit code 1 when a condition does not hold. */
export function check(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}
