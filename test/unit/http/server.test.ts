import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { createBoundedServer as createSimulatorServer } from '../../../simulators/bounded-server.ts';
import { type ServerBounds, createBoundedServer } from '../../../src/http/server.ts';

const bounds: ServerBounds = {
  maxConnections: 4_000,
  maxUnanswered: 16,
  idleTimeoutMs: 45_000,
  writeTimeoutMs: 15_000,
  keepAliveTimeoutMs: 65_000,
};
const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** Larger than the kernel's buffers of both ends. */
const large = Buffer.alloc(32 * 1024 * 1024, 'x');

let servers: Server[] = [];
let sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  [servers, sockets] = [[], []];
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Opens a connection that reads nothing until the test resumes it. */
async function silent(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  sockets.push(socket);
  // A cut connection may be reported as a reset.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const kinds: [string, (handler: RequestListener, writeTimeoutMs?: number) => Server][] = [
  [
    'service',
    (handler, writeTimeoutMs = 15_000) => createBoundedServer({ ...bounds, writeTimeoutMs }, {}, handler),
  ],
  ['simulators', createSimulatorServer],
];

describe.each(kinds)('an HTTP server of the %s', (_name, create) => {
  it('handles few requests of a connection that does not wait for answers, and closes it', async () => {
    let handled = 0;
    let ended = 0;
    const server = create((_request, response) => {
      handled += 1;
      response.end(large);
    });
    server.on('connection', (socket: Socket) => socket.once('close', () => (ended += 1)));
    const port = await listen(server);
    const attackers = await Promise.all(Array.from({ length: 20 }, () => silent(port)));
    for (const attacker of attackers) attacker.write(request.repeat(1_000));
    await waitFor(() => ended === attackers.length);
    expect(handled).toBeLessThanOrEqual(20 * 16);
  });

  it('answers any number of consecutive requests on one connection', async () => {
    const port = await listen(create((_request, response) => response.end('ok')));
    const socket = (await silent(port)).resume();
    for (let each = 0; each < 100; each += 1) {
      socket.write(request);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toContain('200 OK');
    }
  });

  it('cuts off a client that reads nothing of a finished answer', async () => {
    let cut: Promise<unknown> | undefined;
    const server = create((_request, response) => {
      cut = once(response, 'close');
      response.end(large);
    }, 100);
    const socket = await silent(await listen(server));
    socket.write(request);
    await waitFor(() => cut !== undefined);
    await cut;
    // The client reads now, and receives only the bytes that were on their way.
    let bytes = 0;
    socket.on('data', (piece: Buffer) => (bytes += piece.length));
    await once(socket.resume(), 'close');
    expect(bytes).toBeLessThan(large.length);
  });

  it('does not cut off a client that waits for its answer', async () => {
    let finish: (() => void) | undefined;
    const server = create((_request, response) => {
      finish = () => void response.end('late');
    }, 50);
    const socket = (await silent(await listen(server))).resume();
    socket.write(request);
    await waitFor(() => finish !== undefined);
    // Longer than the wait for a finished answer.
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    finish?.();
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('late');
  });
});

it('drops connections beyond the limit', async () => {
  const port = await listen(
    createBoundedServer({ ...bounds, maxConnections: 2 }, {}, (_request, response) => response.end('ok')),
  );
  await silent(port);
  await silent(port);
  const third = (await silent(port)).resume();
  await once(third, 'close');
  expect(third.bytesRead).toBe(0);
});

async function waitFor(isThere: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isThere()) {
    if (Date.now() > deadline) throw new Error('the awaited state did not come');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
