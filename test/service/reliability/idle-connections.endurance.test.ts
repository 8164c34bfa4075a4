import { type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => (world = await createWorld({}, { worker: false })));
afterAll(() => world.close());

/** Sends `bytes` and nothing more. Returns the bytes received until the other side closed. */
async function receivedUntilClosed(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  // A connection closed without an answer may end with a reset.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  await once(socket, 'close');
  return received;
}

const sides = ['baseUrl', 'vaultUrl', 'networkUrl'] as const;

// A browser opens connections ahead of time, and takes bytes on one for the answer to its request.
it.concurrent.each(sides)(
  '%s: a connection on which nothing was sent is closed without an answer',
  async (side) => {
    expect(await receivedUntilClosed(world[side], '')).toBe('');
  },
);

it.concurrent.each(sides)('%s: half a request is answered, and the connection closed', async (side) => {
  expect(await receivedUntilClosed(world[side], 'GET / HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 400 /);
});
