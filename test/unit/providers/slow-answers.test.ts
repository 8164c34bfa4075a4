import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createProviderHttp } from '../../../src/providers/http.ts';
import { createPciVaultHttp } from '../../../src/providers/pci-vault/http.ts';
import { createStripe, createStripeAgent } from '../../../src/providers/stripe/client.ts';

/** As many calls as one process has open when pays come fast and the issuer is slow. */
const slowCalls = 200;

let server: Server;
let address: string;
let waiting: (() => void)[] = [];
let allWait: () => void;

beforeEach(async () => {
  waiting = [];
  server = createServer((request, response) => {
    const answer = () => response.setHeader('content-type', 'application/json').end('{}');
    if (request.url?.includes('quick')) return answer();
    if (waiting.push(answer) === slowCalls) allWait();
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const clients: Record<string, () => { call: (path: string) => Promise<unknown>; close: () => unknown }> = {
  simulators: () => {
    const http = createProviderHttp({
      provider: 'network',
      baseUrl: address,
      serviceKey: 'key',
      timeoutMs: 30_000,
    });
    return {
      call: (path) => http.call({ method: 'GET', path, schema: z.object({}) }),
      close: () => http.close(),
    };
  },
  'PCI Vault': () => {
    const http = createPciVaultHttp({ baseUrl: address, user: 'user', password: 'password' });
    return {
      call: (path) => http.call({ method: 'GET', path, timeoutMs: 30_000 }),
      close: () => http.close(),
    };
  },
  Stripe: () => {
    const agent = createStripeAgent();
    const stripe = createStripe({ secretKey: 'sk_test_none', apiBase: address, agent });
    return {
      call: (path) => stripe.rawRequest('GET', path, undefined, { timeout: 30_000 }),
      close: () => agent.close(),
    };
  },
};

it.each(Object.keys(clients))(
  '%s: calls that wait for a slow answer do not block other calls',
  async (name) => {
    const client = clients[name]?.();
    if (client === undefined) throw new Error(name);
    const begun = new Promise<void>((resolve) => (allWait = resolve));
    const slow = Promise.all(Array.from({ length: slowCalls }, () => client.call('/slow')));
    await begun;
    await client.call('/quick');
    expect(waiting).toHaveLength(slowCalls);
    for (const answer of waiting) answer();
    await slow;
    await client.close();
  },
);
