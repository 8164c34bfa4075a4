/**
 * Stands in for every process of the service: it reports that it is ready, answers the demo's calls, and ends
 * with its launcher.
 */
import { createServer } from 'node:http';

if (process.env.STAND_IN_FAILS !== undefined) {
  process.stderr.write(`${process.env.STAND_IN_FAILS}\n`);
  process.exit(1);
}

const port = Number(process.env.VAULT_SIM_PORT ?? process.env.NETWORK_SIM_PORT ?? process.env.API_PORT);
const id = '019b0000-0000-7000-8000-000000000001';
const capture = {
  url: `http://127.0.0.1:${port}/vault`,
  secret: 'secret-of-capture',
  reference: 'reference',
};

/** @type {Record<string, object>} */
const answers = {
  'GET /v1/payments?perPage=1': { data: [] },
  'POST /v1/payments': { data: { id, checkoutUrl: `http://127.0.0.1:${port}/c/token` } },
  [`POST /v1/payments/${id}/capture`]: {
    data: { capture, pciConfig: { provider: 'cardVault' } },
  },
  'POST /vault': { token: 'token', reference: 'reference' },
  [`POST /v1/payments/${id}/pay`]: { data: { status: 'paid' } },
  [`GET /v1/payments/${id}`]: {
    data: { status: 'paid', amountCents: 2500, cardBrand: 'visa', cardLast4: '4242' },
  },
};

const server = createServer((request, response) => {
  const answer = answers[`${request.method} ${request.url}`];
  response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? {}));
});
// The worker has the API's settings and finds the port in use. It only has to run.
server.on('error', () => {});
server.listen(port, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send?.({ type: 'ready' });
