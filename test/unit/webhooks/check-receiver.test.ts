import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { type CheckResult, checkReceiver } from '../../../sdk/cli/src/check-receiver/checks.ts';
import { createSigningSecret } from '../../../src/webhooks/signing.ts';

const secret = createSigningSecret();

interface Payload {
  id: string;
  type: string;
  data: { id: string; status: string };
}

/** Checks a receiver with this handler; `count` returns the number of fulfilled orders to the checker. */
async function check(
  handle: (body: string, headers: IncomingHttpHeaders) => number,
  count: (() => number) | null = () => 0,
): Promise<CheckResult[]> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end(JSON.stringify({ count: count?.() }));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(handle(Buffer.concat(chunks).toString(), request.headers)).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    return await checkReceiver(
      { url, secret, reference: 'order-1', fulfillmentsUrl: count === null ? null : url },
      () => undefined,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const verified = (body: string, headers: IncomingHttpHeaders): Payload =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Payload;

const faultsOf = (results: CheckResult[]): string[] =>
  results.filter(({ fault }) => fault !== null).map(({ title }) => title);

// Concurrent, because each check sends one body over two seconds.
describe('the receiver check', () => {
  it.concurrent('finds no fault with a receiver that does everything right', async () => {
    const fulfilled = new Set<string>();
    const results = await check(
      (body, headers) => {
        try {
          const event = verified(body, headers);
          if (event.data.status === 'paid') fulfilled.add(event.data.id);
          return 204;
        } catch {
          return 400;
        }
      },
      () => fulfilled.size,
    );
    expect(faultsOf(results)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(18);
  });

  it.concurrent('reports each forgery to a receiver that verifies nothing', async () => {
    expect(faultsOf(await check(() => 200))).toEqual([
      'refuses a delivery signed with another secret',
      'refuses a changed body',
      'refuses another event id under the same signature',
      'refuses a delivery without a signature',
      'refuses a signature of another version',
      'refuses a correctly signed delivery of an hour ago',
      'refuses a delivery from the future',
    ]);
  });

  it.concurrent('does not report a check as passed that only the number of orders can prove', async () => {
    const results = await check((body, headers) => {
      try {
        verified(body, headers);
        return 204;
      } catch {
        return 400;
      }
    }, null);
    expect(faultsOf(results)).toEqual([]);
    expect(results.filter(({ unchecked }) => unchecked !== null).map(({ title }) => title)).toEqual([
      'accepts a repeated delivery without effect',
      'accepts five copies at the same time and counts one',
      'accepts an older event after a newer one without undoing it',
    ]);
  });

  it.concurrent('stops at a refused connection', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => {
      server.close(resolve);
    });
    const results: CheckResult[] = [];
    const url = `http://127.0.0.1:${port}/`;
    const checking = checkReceiver({ url, secret, reference: 'r', fulfillmentsUrl: null }, (result) =>
      results.push(result),
    );
    await expect(checking).rejects.toThrow('cannot be reached (ECONNREFUSED)');
    expect(results).toEqual([]);
  });

  it.concurrent('reports a receiver that fulfills every copy', async () => {
    let count = 0;
    const results = await check(
      (body, headers) => {
        try {
          if (verified(body, headers).data.status === 'paid') count += 1;
          return 204;
        } catch {
          return 400;
        }
      },
      () => count,
    );
    expect(faultsOf(results)).toEqual([
      'accepts a repeated delivery without effect',
      'accepts five copies at the same time and counts one',
    ]);
  });

  it.concurrent(
    'reports a receiver that re-serializes the body, accepts only known types or reads one signature',
    async () => {
      const results = await check((body, headers) => {
        try {
          const again = JSON.stringify(JSON.parse(body));
          const first = String(headers['webhook-signature']).split(' ')[0] ?? '';
          const event = verified(again, { ...headers, 'webhook-signature': first });
          return event.type === 'payment.someLaterType' ? 422 : 204;
        } catch {
          return 400;
        }
      });
      expect(faultsOf(results)).toEqual([
        'accepts a delivery with two signatures, as during the rotation of a secret',
        'accepts an event of an unknown type',
        'verifies the signature over the bytes as sent',
      ]);
    },
  );
});
