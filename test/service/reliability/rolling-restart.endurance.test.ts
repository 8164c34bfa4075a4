import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../support/free-ports.ts';
import { type ApiProcess, startApiProcess } from '../../support/service-process.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
  key = await world.key(await world.merchant(), 'sandbox');
});
afterAll(() => world.close());

/** An API behind the proxy, whose ports stay the same when its process is replaced. */
interface Target {
  port: number;
  privatePort: number;
  isReady: boolean;
}

/** Starts a proxy that sends each request to the next API whose latest `/readyz`, four a second, was 200. */
async function startProxy(targets: readonly Target[]) {
  const stopping = new AbortController();
  let next = 0;
  let refused = 0;
  const look = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await Promise.all(
        targets.map(async (target) => {
          target.isReady = await fetch(`http://127.0.0.1:${target.privatePort}/readyz`).then(
            (answer) => answer.ok,
            () => false,
          );
        }),
      );
      await sleep(250);
    }
  };
  const forward = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const ready = targets.filter(({ isReady }) => isReady);
    const target = ready[(next += 1) % ready.length];
    const fail = (): void => {
      refused += 1;
      if (!answer.headersSent) answer.writeHead(502);
      answer.end();
    };
    if (!target) return fail();
    const { method, headers, url: path } = incoming;
    const sent = request({ port: target.port, host: '127.0.0.1', method, path, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, { 'content-type': 'application/json' });
      received.pipe(answer);
    });
    sent.on('error', fail);
    incoming.pipe(sent);
  };
  const looking = look();
  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => refused,
    close: async () => {
      stopping.abort();
      await looking;
      server.close();
      server.closeAllConnections();
    },
  };
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(20);
};

it('refuses no connection while two APIs behind a proxy are replaced one after the other', async () => {
  const ports = await freePorts(4);
  const targets: Target[] = [0, 2].map((first) => ({
    port: ports[first] ?? 0,
    privatePort: ports[first + 1] ?? 0,
    isReady: false,
  }));
  const start = ({ port, privatePort }: Target): Promise<ApiProcess> =>
    startApiProcess(world, {
      API_PORT: String(port),
      PRIVATE_PORT: String(privatePort),
      DRAIN_SECONDS: '2',
    });
  const running = await Promise.all(targets.map(start));
  const proxy = await startProxy(targets);
  const statuses: number[] = [];
  const done = new AbortController();
  const call = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const { status } = await fetch(`${proxy.baseUrl}/v1/payments`, {
        headers: { authorization: `Bearer ${key}` },
      });
      statuses.push(status);
      await sleep(10);
    }
  };
  try {
    await until(() => targets.every(({ isReady }) => isReady));
    const callers = [call(), call(), call(), call()];
    const exits: (number | null | undefined)[] = [];
    for (const [index, target] of targets.entries()) {
      exits.push(await running[index]?.stop());
      running[index] = await start(target);
      await until(() => target.isReady);
    }
    done.abort();
    await Promise.all(callers);
    expect(exits).toEqual([0, 0]);
    expect(statuses.length).toBeGreaterThan(200);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(proxy.refused()).toBe(0);
  } finally {
    done.abort();
    await proxy.close();
    await Promise.all(running.map((api) => api.kill()));
  }
});

it('skips the wait on SIGINT, as for Ctrl-C at a terminal', async () => {
  const api = await startApiProcess(world, { DRAIN_SECONDS: '30' });
  const begun = performance.now();
  expect(await api.stop('SIGINT')).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
});
