import { Agent, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeServer, listen } from './listen.ts';
import type { Classify } from './names.ts';
import type { FaultMode, Hop } from './plan.ts';

const noAnswerMs = 40_000;

/** The fault of one request. */
export interface Fault {
  mode: FaultMode;
  ms: number;
}

export interface HttpProxyOptions {
  hop: Hop;
  port: number;
  /** The address behind the proxy, chosen for each request. */
  target: () => string;
  classify: Classify;
  /** Awaited at `<hop>.<name>.before` and `.after`; may kill or freeze a process. */
  reach: (point: string) => Promise<void>;
  fault: (hop: Hop, name: string) => Fault | null;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Starts an HTTP proxy on one hop. Like a network, it can lose the answer after the effect, deliver twice,
 * hold, reset, and cut an answer in half. Returns a function that closes it.
 */
export async function startHttpProxy(options: HttpProxyOptions): Promise<() => Promise<void>> {
  const agent = new Agent({ keepAlive: false });
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => {});
    outgoing.on('error', () => {});
    handle(options, agent, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await listen(server, options.port);
  return () => closeServer(server, () => server.closeAllConnections());
}

async function handle(
  { hop, target, classify, reach, fault }: HttpProxyOptions,
  agent: Agent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await bytesOf(incoming);
  const forward = (): Promise<Answer> => sendOn(new URL(target()), agent, incoming, body);
  const name = classify(incoming.method ?? '', incoming.url ?? '');
  await reach(`${hop}.${name}.before`);
  const met = fault(hop, name);
  if (met?.mode === 'reset') {
    outgoing.destroy();
    return;
  }
  if (met?.mode === 'hold') {
    // The caller gives up long before the request arrives.
    outgoing.destroy();
    await sleep(met.ms);
    await forward();
    return;
  }
  if (met?.mode === 'delay') await sleep(met.ms);
  if (met?.mode === 'duplicate') await forward();
  const answer = await forward();
  await reach(`${hop}.${name}.after`);
  if (met?.mode === 'executeThenDrop') outgoing.destroy();
  else await reply(outgoing, answer, met?.mode === 'cut');
}

async function reply(outgoing: ServerResponse, answer: Answer, cut: boolean): Promise<void> {
  const { 'transfer-encoding': _encoding, connection: _connection, ...headers } = answer.headers;
  outgoing.writeHead(answer.status, { ...headers, 'content-length': String(answer.body.length) });
  if (!cut || answer.body.length < 2) {
    outgoing.end(answer.body);
    return;
  }
  outgoing.write(answer.body.subarray(0, answer.body.length >> 1));
  await sleep(5);
  outgoing.destroy();
}

function sendOn(to: URL, agent: Agent, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: to.hostname,
        port: to.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, connection: 'close' },
        agent,
        timeout: noAnswerMs,
      },
      (response) => {
        bytesOf(response).then(
          (bytes) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: bytes }),
          reject,
        );
      },
    );
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.end(body);
  });
}

function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('aborted', () => reject(new Error('aborted')));
  });
}
