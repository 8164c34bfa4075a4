import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePorts } from '../../support/free-ports.ts';
import { startApiProcess, startWorkerProcess } from '../../support/service-process.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
});
afterAll(() => world.close());

/** Returns the message of a process that does not start. */
const refusal = (starting: Promise<unknown>): Promise<string> =>
  starting.then(
    () => 'it started',
    (error: Error) => error.message,
  );

it('a busy port is one line with the setting and the port, and exit code 1', async () => {
  const [port = 0] = await freePorts(1);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  try {
    expect(await refusal(startApiProcess(world, { API_PORT: String(port) }))).toBe(
      `api/server.js ended with 1: API_PORT: port ${port} is busy (EADDRINUSE): free it, or set another\n`,
    );
  } finally {
    server.close();
  }
});

it('a wrong password is one line that names the setting', async () => {
  const url = new URL(world.environment['DATABASE_URL'] ?? '');
  url.password = 'wrong';
  expect(await refusal(startWorkerProcess(world, { DATABASE_URL: url.toString() }))).toBe(
    'worker/main.js ended with 1: DATABASE_URL: PostgreSQL refused the password (28P01): correct user and password\n',
  );
});

it('a Temporal that does not answer is one line that names its address', async () => {
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  expect(await refusal(startWorkerProcess(world, { TEMPORAL_ADDRESS: address }))).toBe(
    `worker/main.js ended with 1: TEMPORAL_ADDRESS: Temporal does not answer at ${address}: start it, ` +
      'or correct the address and its TLS settings\n',
  );
});

it('a missing certificate file is one line with its setting and path', async () => {
  const path = '/nowhere/client.pem';
  const changes = { TEMPORAL_TLS_CLIENT_CERT_PATH: path, TEMPORAL_TLS_CLIENT_KEY_PATH: path };
  expect(await refusal(startWorkerProcess(world, changes))).toBe(
    `worker/main.js ended with 1: TEMPORAL_TLS_CLIENT_CERT_PATH: the file ${path} does not exist (ENOENT): ` +
      'create it, or correct the path\n',
  );
});

it('a setting that is almost one is one line with both names', async () => {
  expect(await refusal(startWorkerProcess(world, { WORKER_BUILDID: 'b' }))).toBe(
    'worker/main.js ended with 1: WORKER_BUILDID is not a setting: did you mean WORKER_BUILD_ID? Rename it\n',
  );
});
