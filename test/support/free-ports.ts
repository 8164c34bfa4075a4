import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range of the tests' ports. Each jest worker has its own part. It is beside the ports of `npm start` and
 * below the range of outgoing connections, where another process could take a free port before the test
 * listens on it.
 */
const range = { from: 17_500, perWorker: 1_500, workers: 5 };

/** Returns ports that are free now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % range.workers;
  const first = range.from + worker * range.perWorker;
  const ports: number[] = [];
  // The search starts anywhere in the range, so that remaining connections of a finished test file do not
  // reach the servers of the next.
  const start = randomInt(range.perWorker);
  for (let step = 0; step < range.perWorker; step += 1) {
    if (ports.length === count) return ports;
    const port = first + ((start + step) % range.perWorker);
    if (await isFree(port)) ports.push(port);
  }
  throw new Error(`fewer than ${count} ports are free from ${first} on`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen(port, '127.0.0.1');
    await listening;
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
