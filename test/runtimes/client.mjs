/**
 * What every runtime must do with the packed client: calls, lists, waiting for an unknown outcome, typed errors,
 * signatures of webhooks. `URL` of the service that answers, and the webhook to verify, are arguments. Prints
 * what it found as JSON.
 */
import { argv } from 'node:process';
import { CardPayments, NotFoundError, WebhookVerificationError } from '@card-payments/sdk';

const [baseUrl, apiKey, secret, headers, body] = argv.slice(-5);
const cp = new CardPayments({ baseUrl, apiKey });
const found = {};

const payment = await cp.payments.create(
  {
    amountCents: 2500,
    currency: 'USD',
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
  },
  { idempotencyKey: 'order-1001-attempt-1' },
);
found.created = payment.id;
found.listed = [];
for await (const { id } of cp.payments.list()) found.listed.push(id);
found.missing = await cp.payments.retrieve('none').catch((error) => error instanceof NotFoundError);
const event = await cp.webhooks.verify(body, JSON.parse(headers), secret);
found.event = event.type;
found.forged = await cp.webhooks
  .verify(body.replace('2500', '1'), JSON.parse(headers), secret)
  .catch((error) => error instanceof WebhookVerificationError);
found.withResponse = (await cp.payments.retrieve(payment.id).withResponse()).status;
console.log(JSON.stringify(found));
