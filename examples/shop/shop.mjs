/**
 * A shop that fulfils each paid order exactly once, whatever happens to its webhooks: sent twice, in the wrong order, or
 * lost. Three rules do it:
 *
 * 1. A webhook is a hint. The handler verifies it, then reads the payment: the order of arrival does not matter.
 * 2. One conditional UPDATE fulfils (fulfil.sql): copies at the same time do not matter.
 * 3. Open orders are looked at on a schedule: a webhook that never comes does not matter.
 *
 * Settings: DATABASE_URL, CARD_PAYMENTS_URL, CARD_PAYMENTS_API_KEY, WEBHOOK_SECRET, PORT (4242), RECONCILE_SECONDS (60).
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';

const { DATABASE_URL, CARD_PAYMENTS_URL, CARD_PAYMENTS_API_KEY, WEBHOOK_SECRET } = process.env;
const port = Number(process.env.PORT ?? 4242);
const reconcileMs = Number(process.env.RECONCILE_SECONDS ?? 60) * 1000;
const maxBodyBytes = 64 * 1024;
const callTimeoutMs = 5_000;

const database = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });
// An idle connection that dies is replaced at the next query.
database.on('error', () => undefined);
const fulfilSql = readFileSync(new URL('./fulfil.sql', import.meta.url), 'utf8');
const webhook = new Webhook(WEBHOOK_SECRET);

/** The payment as the service stores it; null when it is not ours. Throws when the service cannot be asked. */
async function readPayment(id) {
  const answer = await call('GET', `/v1/payments/${id}`);
  if (answer.status === 404 || answer.status === 400) return null;
  if (!answer.ok) throw new Error(`the payment service answered ${answer.status}`);
  return (await answer.json()).data;
}

function call(method, path, body, headers = {}) {
  return fetch(CARD_PAYMENTS_URL + path, {
    method,
    headers: {
      authorization: `Bearer ${CARD_PAYMENTS_API_KEY}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(callTimeoutMs),
  });
}

/** Fulfils the order of a payment if it is paid now. Any number of calls, at any time, ship once. */
async function settle(paymentId) {
  const payment = await readPayment(paymentId);
  if (payment?.status !== 'paid') return;
  await database.query(fulfilSql, [payment.reference, payment.id, payment.amountCents]);
}

/** 2xx: understood. 400: not from the service. 503: try again later. */
async function receive(request, body) {
  let event;
  try {
    event = webhook.verify(body, request.headers);
  } catch {
    return 400;
  }
  // Types and fields we do not know are none of our business.
  if (!event.type?.startsWith('payment.') || typeof event.data?.id !== 'string') return 204;
  await settle(event.data.id);
  return 204;
}

/** Creates an order and its payment. The order's reference is the key of the creation: a retry makes no second one. */
async function order(amountCents) {
  const reference = `order-${randomUUID()}`;
  await database.query('INSERT INTO orders (reference, amount_cents) VALUES ($1, $2)', [
    reference,
    amountCents,
  ]);
  const answer = await call(
    'POST',
    '/v1/payments',
    {
      amountCents,
      currency: 'USD',
      reference,
      successUrl: `http://127.0.0.1:${port}/thanks`,
      cancelUrl: `http://127.0.0.1:${port}/cart`,
    },
    { 'idempotency-key': reference },
  );
  if (answer.status !== 201) throw new Error(`the payment service answered ${answer.status}`);
  const { data } = await answer.json();
  await database.query('UPDATE orders SET payment_id = $2 WHERE reference = $1', [reference, data.id]);
  return { reference, checkoutUrl: data.checkoutUrl };
}

/** Looks at open orders: the net under every lost webhook. */
async function reconcile() {
  const { rows } = await database.query(
    'SELECT payment_id FROM orders WHERE fulfilled_at IS NULL AND payment_id IS NOT NULL ORDER BY created_at LIMIT 100',
  );
  for (const { payment_id: id } of rows) await settle(id);
}

async function route(request, body) {
  const path = `${request.method} ${request.url}`;
  if (path === 'POST /webhook') return { status: await receive(request, body) };
  if (path === 'POST /orders') return { status: 201, json: await order(JSON.parse(body).amountCents) };
  if (path === 'GET /fulfilments') {
    const { rows } = await database.query('SELECT count(*)::int AS count FROM shipments');
    return { status: 200, json: rows[0] };
  }
  return { status: 404 };
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
    // The raw bytes: that is what was signed.
    void route(request, Buffer.concat(chunks).toString('utf8'))
      .catch(() => ({ status: 503 }))
      .then(({ status, json }) => {
        response.writeHead(status, json === undefined ? {} : { 'content-type': 'application/json' });
        response.end(json === undefined ? undefined : JSON.stringify(json));
      });
  });
});

await database.query(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'));
server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`shop on http://127.0.0.1:${server.address().port}\n`);
});
let reconciling = false;
const timer = setInterval(() => {
  if (reconciling) return;
  reconciling = true;
  reconcile()
    .catch(() => undefined)
    .finally(() => (reconciling = false));
}, reconcileMs);
process.once('SIGTERM', () => {
  clearInterval(timer);
  server.close(() => void database.end());
});
