import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HostileRequest, sendAndRetry } from './surface.ts';

let server: Server;
let requests = 0;

/** Answers the first `times` requests with 503, the others with 200. */
async function serveUnavailable(times: number, headers: Record<string, string>): Promise<HostileRequest> {
  requests = 0;
  server = createServer((_, response) => {
    requests += 1;
    response.writeHead(requests <= times ? 503 : 200, headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { name: 'any', url, method: 'GET', headers: {}, body: undefined, verdict: () => null };
}

afterEach(() => server.close());

it('repeats a request once when the service asks for that, and reports it', async () => {
  const refused: number[] = [];
  const request = await serveUnavailable(1, { 'retry-after': '0' });
  const answer = await sendAndRetry(request, ({ status }) => refused.push(status));
  expect([answer.status, refused, requests]).toEqual([200, [503], 2]);
});

it('returns the 503 of a service that stays unavailable', async () => {
  const refused: number[] = [];
  const request = await serveUnavailable(9, { 'retry-after': '0' });
  const answer = await sendAndRetry(request, ({ status }) => refused.push(status));
  expect([answer.status, refused, requests]).toEqual([503, [503], 2]);
});

it('does not repeat a request without Retry-After', async () => {
  const request = await serveUnavailable(1, {});
  expect((await sendAndRetry(request, () => undefined)).status).toBe(503);
  expect(requests).toBe(1);
});
