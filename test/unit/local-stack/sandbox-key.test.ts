import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isKeyAccepted } from '../../../local-stack/sandbox.ts';

/** Runs `check` beside a server that cuts its first connections, then answers with `status`. */
async function besideServer<T>(
  { cuts, status }: { cuts: number; status: number },
  check: (baseUrl: string) => Promise<T>,
): Promise<T> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (requests <= cuts) request.socket.destroy();
    else response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const never = new AbortController().signal;

describe("the stored sandbox's key", () => {
  it.each([
    [200, true],
    [401, false],
  ])('is judged by the answer %i of an API that cut the first connections', async (status, accepted) => {
    const check = (baseUrl: string) => isKeyAccepted(baseUrl, 'key', never);
    expect(await besideServer({ cuts: 2, status }, check)).toBe(accepted);
  });

  it('is not judged when the API never answers: one line names its address', async () => {
    const check = (baseUrl: string) => isKeyAccepted(baseUrl, 'key', never, 800);
    await expect(besideServer({ cuts: Infinity, status: 200 }, check)).rejects.toThrow(
      /^the API at http:\/\/127\.0\.0\.1:\d+ did not answer: .+ See its log$/,
    );
  });

  it('is not judged after Ctrl-C', async () => {
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(isKeyAccepted('http://127.0.0.1:1', 'key', aborted)).rejects.toThrow('stopped');
  });
});
