import { createServer } from 'node:http';
import {
  type AddressInfo,
  type LookupFunction,
  type Server,
  createServer as createTcpServer,
} from 'node:net';
import { isPublicAddress } from '../../../src/webhooks/addresses.ts';
import { checkEndpointUrl } from '../../../src/webhooks/endpoint-url.ts';
import { createSender } from '../../../src/webhooks/sender.ts';
import { allowedAddresses, forbiddenHosts } from '../../support/forbidden-addresses.ts';

const production = { allowLoopback: false };
const development = { allowLoopback: true };
const message = { headers: { 'content-type': 'application/json' }, body: '{}' };

/** Returns a lookup that resolves every name to the next of these answers. */
const resolving =
  (...answers: string[][]): LookupFunction =>
  (_host, _options, callback) => {
    const [answer = []] = answers.length > 1 ? answers.splice(0, 1) : answers;
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };

/** Returns the canonical spelling of a host; empty when no URL can have it. */
function hostnameOf(host: string): string {
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return '';
  }
}

describe('the egress guard', () => {
  it('has a table of 120 forbidden spellings, each once', () => {
    expect(new Set(forbiddenHosts).size).toBe(120);
    expect(forbiddenHosts).toHaveLength(120);
  });

  it.each(forbiddenHosts)(
    'refuses https://%s in production: as a literal, and as what a name resolves to',
    async (host) => {
      const url = `https://${host}/hook`;
      const sent = await createSender({ rules: production, timeoutMs: 2_000, lookup: resolving([]) })({
        url,
        ...message,
      });
      expect([sent.error, sent.statusCode]).toEqual(['forbidden_address', null]);
      const literal = hostnameOf(host).replace(/^\[|\]$/g, '');
      expect(isPublicAddress(literal)).toBe(false);
      const named = await createSender({ rules: production, timeoutMs: 2_000, lookup: resolving([literal]) })(
        {
          url: 'https://shop.example/hook',
          ...message,
        },
      );
      expect([named.error, named.statusCode]).toEqual(['forbidden_address', null]);
    },
  );

  it.each(forbiddenHosts.filter((host) => !['127.0.0.1', 'localhost', '[::1]'].includes(hostnameOf(host))))(
    'refuses https://%s in development too',
    async (host) => {
      const sent = await createSender({
        rules: development,
        timeoutMs: 2_000,
        lookup: resolving(['10.0.0.1']),
      })({
        url: `https://${host}/hook`,
        ...message,
      });
      expect(sent.error).toBe('forbidden_address');
    },
  );

  it.each(allowedAddresses)('accepts the public address %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    const host = address.includes(':') ? `[${address}]` : address;
    expect(checkEndpointUrl(`https://${host}/hook`, production)).toMatchObject({ ok: true });
  });

  it.each([
    'http://shop.example/',
    'https://shop.example:8443/',
    'https://user:pw@shop.example/',
    'https://localhost/',
    'https://a.localhost/',
    'ftp://shop.example/',
    'https://shop.example/#x',
    'http://127.0.0.1:80/',
  ])('refuses the endpoint %s in production', (url) => {
    expect(checkEndpointUrl(url, production).ok).toBe(false);
  });

  it.each([
    'http://127.0.0.1:4000/hook',
    'http://localhost:4000/hook',
    'http://[::1]:4000/hook',
    'https://shop.example:8443/hook',
  ])('accepts the endpoint %s in development', (url) => {
    expect(checkEndpointUrl(url, development).ok).toBe(true);
  });

  it('refuses a name with one private address among public ones', async () => {
    const send = createSender({
      rules: production,
      timeoutMs: 2_000,
      lookup: resolving(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '10.0.0.1']),
    });
    expect((await send({ url: 'https://shop.example/', ...message })).error).toBe('forbidden_address');
  });

  describe('with servers on loopback', () => {
    const servers: Server[] = [];
    afterAll(() => {
      for (const server of servers) server.close();
    });

    async function listen(server: Server): Promise<number> {
      servers.push(server);
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      return (server.address() as AddressInfo).port;
    }

    it('10,000 tries at a name that changes its address every time never reach the private one', async () => {
      const { stackTraceLimit } = Error;
      let connections = 0;
      const port = await listen(
        createTcpServer((socket) => {
          connections += 1;
          socket.destroy();
        }),
      );
      let turn = 0;
      // Never the allowed address, because a rebinding name would resolve to another one.
      const lookup: LookupFunction = (_host, _options, callback) => {
        turn += 1;
        callback(null, [
          { address: turn % 2 === 0 ? '::ffff:127.0.0.1' : '127.0.0.2', family: turn % 2 === 0 ? 6 : 4 },
        ]);
      };
      const send = createSender({ rules: development, timeoutMs: 5_000, lookup });
      const errors = new Set<string | null>();
      // Node.js formats the stack of every refusal, and nothing reads these ten thousand.
      Error.stackTraceLimit = 0;
      for (let batch = 0; batch < 100; batch += 1) {
        const results = await Promise.all(
          Array.from({ length: 100 }, () => send({ url: `https://rebind.example:${port}/`, ...message })),
        );
        for (const { error } of results) errors.add(error);
      }
      Error.stackTraceLimit = stackTraceLimit;
      expect([turn, connections, [...errors]]).toEqual([10_000, 0, ['forbidden_address']]);
    });

    it('a redirect is returned as it is and not followed', async () => {
      let hits = 0;
      const target = await listen(
        createServer((_request, response) => {
          hits += 1;
          response.end();
        }),
      );
      const port = await listen(
        createServer((_request, response) => {
          response.writeHead(307, { location: `http://127.0.0.1:${target}/latest/meta-data` }).end();
        }),
      );
      const sent = await createSender({ rules: development })({
        url: `http://127.0.0.1:${port}/`,
        ...message,
      });
      expect([sent.statusCode, sent.error, hits]).toEqual([307, null, 0]);
    });

    it('an endpoint that never answers, or drips its headers, is a time-out', async () => {
      const silent = await listen(createTcpServer((socket) => socket.on('error', () => undefined)));
      const dripping = await listen(
        createTcpServer((socket) => {
          socket.on('error', () => undefined);
          socket.write('HTTP/1.1 200 OK\r\nX-A: ');
          const timer = setInterval(() => socket.write('a'), 20);
          socket.on('close', () => clearInterval(timer));
        }),
      );
      const send = createSender({ rules: development, timeoutMs: 300 });
      for (const port of [silent, dripping]) {
        const sent = await send({ url: `http://127.0.0.1:${port}/`, ...message });
        expect([sent.statusCode, sent.error]).toEqual([null, 'timeout']);
      }
    });

    it('at most 64 KiB of an endless answer are read and at most 1 KiB is kept', async () => {
      let written = 0;
      let closed = false;
      const port = await listen(
        createServer((_request, response) => {
          response.writeHead(500);
          const pump = (): void => {
            if (closed) return;
            written += 16_384;
            if (response.write(Buffer.alloc(16_384, 'é'))) setImmediate(pump);
          };
          response.on('drain', pump);
          response.on('close', () => {
            closed = true;
          });
          pump();
        }),
      );
      const sent = await createSender({ rules: development, timeoutMs: 20_000 })({
        url: `http://127.0.0.1:${port}/`,
        ...message,
      });
      expect(sent.statusCode).toBe(500);
      expect(Buffer.byteLength(sent.excerpt ?? '')).toBeLessThanOrEqual(1_024);
      expect(sent.excerpt).toContain('éé');
      // Socket buffers hold more than was read. Without the limit, writing would never end.
      expect(written).toBeLessThan(64 * 1024 * 1024);
    });

    it('a refused connection, an unknown name and a malformed answer are distinguished', async () => {
      const closed = createTcpServer();
      const port = await listen(closed);
      await new Promise((resolve) => closed.close(resolve));
      const nonsense = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
      const unknown: LookupFunction = (host, _options, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
      const send = createSender({ rules: development, lookup: unknown });
      expect((await send({ url: `http://127.0.0.1:${port}/`, ...message })).error).toBe('connect');
      expect((await send({ url: `http://127.0.0.1:${nonsense}/`, ...message })).error).toBe('protocol');
      expect((await send({ url: 'https://nowhere.example/', ...message })).error).toBe('dns');
    });
  });
});
