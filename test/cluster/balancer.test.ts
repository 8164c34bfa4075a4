import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../deploy/shop.ts';
import { openBalancer } from './balancer.ts';

/** The statuses that the private ports of two APIs return. */
const status = { one: 200, other: 200 };
const servers: Server[] = [];

async function member(name: keyof typeof status): Promise<{ api: string; privateUrl: string }> {
  const server = createServer((_request, response) => response.writeHead(status[name]).end());
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { api: name, privateUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

it('clients are sent to the APIs that are ready, and to all of them while none is', async () => {
  const balancer = openBalancer([await member('one'), await member('other')], 5);
  const until = (apis: string[]) =>
    eventually(async () => (balancer.apis.join() === apis.join() ? true : undefined));
  try {
    expect(balancer.apis).toEqual(['one', 'other']);
    status.one = 503;
    await until(['other']);
    status.other = 503;
    await until(['one', 'other']);
    status.one = 200;
    await until(['one']);
    status.other = 200;
    await until(['one', 'other']);
  } finally {
    await balancer.close();
  }
});
