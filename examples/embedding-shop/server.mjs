// A shop that shows the checkout inside its own page. Node only, no packages: `CARD_PAYMENTS_API_KEY=… node server.mjs` (see README.md).
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const api = process.env.CARD_PAYMENTS_URL ?? 'http://127.0.0.1:3000';
const apiKey = process.env.CARD_PAYMENTS_API_KEY;
const port = Number(process.env.PORT ?? 4100);
if (!apiKey) {
  process.stderr.write('CARD_PAYMENTS_API_KEY is not set: take the sandbox key that `npm start` prints\n');
  process.exit(1);
}

/** One cart, one order: a real shop keeps these in its database. */
const orders = new Map();
let origin = '';

/** Calls the payment service. The key stays on this server. */
async function call(method, path, body, headers = {}) {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(15_000),
  });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(
      `${method} ${path}: ${response.status} ${answer.error?.code} ${answer.error?.field ?? ''}`,
    );
  return answer.data;
}

/** Creates the payment of an order once: the order's own id is the key, so a repeat finds the same payment. */
async function checkout(order) {
  const payment = await call(
    'POST',
    '/v1/payments',
    {
      amountCents: 2500,
      currency: 'USD',
      reference: order,
      lineItems: [{ name: 'A book', quantity: 1, amountCents: 2500 }],
      successUrl: `${origin}/thanks?order=${order}`,
      cancelUrl: `${origin}/?order=${order}`,
      // This very site may frame the page, no other.
      embeddingOrigin: origin,
    },
    { 'idempotency-key': order },
  );
  orders.set(order, payment.id);
  return payment.checkoutUrl;
}

const escape = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function page(title, body) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(title)}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/shop.css" />
  </head>
  <body><main><h1>${escape(title)}</h1>${body}</main></body>
</html>`;
}

const routes = {
  '/': () =>
    page(
      'Your cart',
      `<p>One book, $25.00</p><p><a class="button" href="/pay?order=${randomUUID()}">Check out</a></p>`,
    ),

  '/pay': async (query) => {
    const order = query.get('order') ?? randomUUID();
    const checkoutUrl = await checkout(order);
    return page(
      'Check out',
      `<div id="checkout" data-checkout-url="${escape(checkoutUrl)}"></div>
       <script src="${escape(api)}/assets/embed.js"></script>
       <script src="/shop.js"></script>`,
    );
  },

  // The visit proves nothing. Only the status that the service returns for the payment counts.
  '/thanks': async (query) => {
    const id = orders.get(query.get('order'));
    if (!id) return page('Unknown order', '<p><a href="/">Back to the cart</a></p>');
    const { status } = await call('GET', `/v1/payments/${id}`);
    return status === 'paid'
      ? page('Thank you', '<p id="order-status">Your order is paid and on its way.</p>')
      : page('Not paid yet', `<p id="order-status">The payment is ${escape(status)}.</p>`);
  },
};

const files = { '/shop.js': 'text/javascript', '/shop.css': 'text/css' };

async function serve(request, response) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  try {
    if (files[pathname]) {
      response.setHeader('content-type', `${files[pathname]}; charset=utf-8`);
      response.end(await readFile(new URL(`.${pathname}`, import.meta.url)));
      return;
    }
    const route = routes[pathname];
    response.statusCode = route ? 200 : 404;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; img-src data:; script-src 'self' ${api}; frame-src ${api}; base-uri 'none'; frame-ancestors 'none'`,
    );
    response.end(route ? await route(searchParams) : page('Not found', ''));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    response.statusCode = 502;
    response.end(page('The payment service does not answer', '<p>Try again.</p>'));
  }
}

const server = createServer((request, response) => void serve(request, response));
server.listen(port, '127.0.0.1', () => {
  origin = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`shop at ${origin}\n`);
});
