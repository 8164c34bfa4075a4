import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openPciVault } from '../../../src/connectors/stripe-pair.ts';
import { fakeCredentials } from '../../support/stripe-credentials.ts';

const minute = 60_000;

it("an endpoint of the vault lives until the deadline by the clock that was passed in, not by the host's", async () => {
  const lifetimes: (string | null)[] = [];
  const server = createServer((request, response) => {
    lifetimes.push(new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('ttl'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url: '/v1/capture/ref_1', secret: 'a secret of the vault' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { ...fakeCredentials, vaultBase: address };
  // The host's clock is ten minutes ahead of PostgreSQL's.
  const postgres = Date.now() - 10 * minute;
  const vault = openPciVault(credentials, () => postgres);
  try {
    await vault.registerSession({
      reference: 'ref_1',
      paymentId: 'pay_1',
      merchantId: 'mer_1',
      environment: 'sandbox',
      mode: 'single',
      expiresAt: new Date(postgres + 10 * minute).toISOString(),
      allowedOrigin: 'https://pay.example',
    });
    expect(lifetimes).toEqual(['PT600S']);
  } finally {
    await vault.close();
    server.closeAllConnections();
    server.close();
  }
});
