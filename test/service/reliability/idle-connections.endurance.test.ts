import { type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => (world = await createWorld({}, { worker: false })));
afterAll(() => world.close());

/** Sends `bytes` and nothing more; returns the bytes received until the other side closed. */
async function receivedUntilClosed(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  // Hung up without an answer may come as a reset.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  await once(socket, 'close');
  return received;
}

const sides = ['baseUrl', 'vaultUrl', 'networkUrl'] as const;

// A browser opens connections ahead, and takes what comes on one before it asks for the answer.
it.concurrent.each(sides)(
  '%s: a connection on which nothing was sent is closed without an answer',
  async (side) => {
    expect(await receivedUntilClosed(world[side], '')).toBe('');
  },
);

it.concurrent.each(sides)('%s: half a request is answered, and the connection closed', async (side) => {
  expect(await receivedUntilClosed(world[side], 'GET / HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 400 /);
});
