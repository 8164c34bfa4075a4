/**
 * A shop that fulfills each paid order exactly once, even when webhooks arrive twice, in the wrong order or never. Three
 * rules do it:
 *
 * 1. A webhook is a hint. The handler verifies it, then reads the payment, so the order of arrival does not matter.
 * 2. One atomic step fulfills (orders.mjs), so copies of a webhook do not matter.
 * 3. Open orders are checked on a schedule, so a lost webhook does not matter.
 *
 * Settings: CARD_PAYMENTS_URL, CARD_PAYMENTS_API_KEY, WEBHOOK_SECRET; optional: PORT (4242), RECONCILE_SECONDS (60),
 * ORDERS_FILE (orders.jsonl beside this file).
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { openOrders } from './orders.mjs';
import { cartPage, thanksPage } from './pages.mjs';
import { fail, readSettings } from './settings.mjs';

const { url, apiKey, webhook, port, reconcileMs, ordersFile } = readSettings(process.env);
const maxBodyBytes = 64 * 1024;
const callTimeoutMs = 5_000;

let orders;
try {
  orders = openOrders(ordersFile);
} catch (error) {
  fail(`${ordersFile} cannot be used (${error.message}): fix it, or set ORDERS_FILE to another file`);
}
let address = '';

function call(method, path, body, headers = {}) {
  return fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(callTimeoutMs),
  });
}

/** Returns the payment as the service stores it, null when it is not ours. Throws when the service does not answer. */
async function readPayment(id) {
  const answer = await call('GET', `/v1/payments/${encodeURIComponent(id)}`);
  if (answer.status === 404 || answer.status === 400) return null;
  if (!answer.ok) throw new Error(`the payment service answered ${answer.status}`);
  return (await answer.json()).data;
}

/** Fulfills the order of a payment if it is paid. Any number of calls, at any time, ship once. */
async function fulfillIfPaid(paymentId) {
  const payment = await readPayment(paymentId);
  if (payment?.status === 'paid') orders.fulfill(payment);
}

/** Handles a webhook. 204: received. 400: not from the service. The caller answers 503 when this throws: try again. */
async function receive(request, body) {
  let event;
  try {
    event = webhook.verify(body, request.headers);
  } catch {
    return { status: 400 };
  }
  // Events of types that this shop does not use are received and ignored.
  if (event.type?.startsWith('payment.') && typeof event.data?.id === 'string')
    await fulfillIfPaid(event.data.id);
  return { status: 204 };
}

/** Creates an order and its payment. The order's reference is the idempotency key: a retry creates no second one. */
async function placeOrder(body) {
  const amountCents = amountOf(body);
  if (amountCents === undefined)
    return { status: 400, json: { error: 'send {"amountCents":2500}, a whole number' } };
  const reference = `order-${randomUUID()}`;
  orders.place(reference, amountCents);
  const payment = {
    amountCents,
    currency: 'USD',
    reference,
    successUrl: `${address}/thanks?order=${reference}`,
    cancelUrl: `${address}/cart`,
  };
  const answer = await call('POST', '/v1/payments', payment, { 'idempotency-key': reference });
  if (answer.status !== 201) throw new Error(`the payment service answered ${answer.status}`);
  const { data } = await answer.json();
  orders.assignPayment(reference, data.id);
  return { status: 201, json: { reference, checkoutUrl: data.checkoutUrl } };
}

function amountOf(body) {
  try {
    const { amountCents } = JSON.parse(body);
    return Number.isSafeInteger(amountCents) && amountCents > 0 ? amountCents : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the open orders, for webhooks that were lost. */
async function reconcile() {
  for (const id of orders.openPayments()) await fulfillIfPaid(id);
}

const routes = {
  'POST /webhook': receive,
  'POST /orders': (_request, body) => placeOrder(body),
  'GET /fulfillments': () => ({ status: 200, json: { count: orders.countShipped() } }),
  'GET /thanks': (_request, _body, query) => ({
    status: 200,
    html: thanksPage(orders.find(query.get('order'))),
  }),
  'GET /cart': () => ({ status: 200, html: cartPage() }),
};

async function respond(request, body) {
  const { pathname, searchParams } = new URL(request.url, 'http://shop');
  const route = routes[`${request.method} ${pathname}`];
  return route ? route(request, body, searchParams) : { status: 404 };
}

function send(response, { status, json, html }) {
  if (json !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  } else if (html !== undefined) {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  } else response.writeHead(status).end();
}

const server = createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    // The signature covers the raw bytes.
    void respond(request, Buffer.concat(chunks).toString('utf8'))
      .catch((error) => ({ status: 503, json: { error: error.message } }))
      .then((result) => send(response, result));
  });
});

server.on('error', (error) => fail(`port ${port} cannot be used (${error.message}): set PORT to another`));
server.listen(port, '127.0.0.1', () => {
  address = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`shop on ${address}\n`);
});
let reconciling = false;
const timer = setInterval(() => {
  if (reconciling) return;
  reconciling = true;
  reconcile()
    .catch(() => undefined)
    .finally(() => (reconciling = false));
}, reconcileMs);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    clearInterval(timer);
    server.close(() => orders.close());
  });
}
