import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fault of a call. Calls with `loseAnswer` and `twice` reach the other side. */
export type CallFault = 'none' | 'loseRequest' | 'loseAnswer' | 'twice' | 'error';

export interface FlakyNetwork {
  url: string;
  /** Address of the other side; set once it is known. */
  target: string;
  /** Chooses the fault of a call that no strike matches. */
  trouble: (method: string, path: string) => CallFault;
  /**
   * Injects a fault into the first call whose `METHOD path body` matches; returns how many matched, at most
   * one.
   */
  strike(pattern: RegExp, trouble: CallFault): () => number;
  close(): Promise<void>;
}

/** A relay on loopback that loses, repeats and breaks calls as the test orders. */
export async function flakyNetwork(): Promise<FlakyNetwork> {
  const strikes: { pattern: RegExp; trouble: CallFault; struck: number }[] = [];
  const relay: FlakyNetwork = {
    url: '',
    target: '',
    trouble: () => 'none',
    strike: (pattern, trouble) => {
      const made = { pattern, trouble, struck: 0 };
      strikes.push(made);
      return () => made.struck;
    },
    close: () => Promise.resolve(),
  };
  const fateOf = (method: string, path: string, body: string): CallFault => {
    const strike = strikes.find(
      ({ pattern, struck }) => struck === 0 && pattern.test(`${method} ${path} ${body}`),
    );
    if (!strike) return relay.trouble(method, path);
    strike.struck += 1;
    return strike.trouble;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.method ?? 'GET';
    const path = request.url ?? '/';
    const forward = () =>
      fetch(relay.target + path, {
        method,
        headers: Object.fromEntries(
          Object.entries(request.headers).filter(
            ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
          ),
        ) as Record<string, string>,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      });
    const trouble = fateOf(method, path, Buffer.concat(chunks).toString());
    if (trouble === 'loseRequest') return void request.socket.destroy();
    if (trouble === 'error') return void response.writeHead(500).end('{}');
    const answer = await forward();
    if (trouble === 'twice') await forward();
    const body = Buffer.from(await answer.arrayBuffer());
    if (trouble === 'loseAnswer') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  };

  const server: Server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  relay.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return relay;
}
