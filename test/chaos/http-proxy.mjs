import { Agent, createServer, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A proxy on one hop that knows HTTP, so that it can do what a network does to requests: lose the answer after the
 * effect, deliver twice, hold, reset, cut an answer in half.
 *
 * `classify(method, path)` names a request (`charge`, `pay`); `reach(point)` is awaited at `<hop>.<name>.before` and
 * `.after` and may kill or freeze somebody; `fault()` answers the fault for this request: `{mode, ms}` or null.
 */
export async function startHttpProxy({ hop, port, target, classify, reach, fault }) {
  const agent = new Agent({ keepAlive: false });
  const counts = {};
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => {});
    outgoing.on('error', () => {});
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function handle(incoming, outgoing) {
    const body = await bytesOf(incoming);
    const name = classify(incoming.method, incoming.url);
    await reach(`${hop}.${name}.before`);
    const trouble = fault(name);
    if (trouble) counts[trouble.mode] = (counts[trouble.mode] ?? 0) + 1;
    switch (trouble?.mode) {
      case 'reset':
        return outgoing.destroy();
      case 'delay':
        await sleep(trouble.ms);
        break;
      case 'duplicate':
        await forward(incoming, body);
        break;
      case 'hold':
        // The caller has given up long before the request arrives.
        outgoing.destroy();
        await sleep(trouble.ms);
        await forward(incoming, body);
        return undefined;
      default:
    }
    const answer = await forward(incoming, body);
    await reach(`${hop}.${name}.after`);
    if (trouble?.mode === 'executeThenDrop') return outgoing.destroy();
    const headers = { ...answer.headers, 'content-length': String(answer.body.length) };
    delete headers['transfer-encoding'];
    delete headers.connection;
    outgoing.writeHead(answer.status, headers);
    if (trouble?.mode === 'cut' && answer.body.length > 1) {
      outgoing.write(answer.body.subarray(0, answer.body.length >> 1));
      await sleep(5);
      return outgoing.destroy();
    }
    outgoing.end(answer.body);
    return undefined;
  }

  async function forward(incoming, body) {
    const to = new URL(typeof target === 'function' ? target() : target);
    return new Promise((resolve, reject) => {
      const request = send(
        {
          host: to.hostname,
          port: to.port,
          method: incoming.method,
          path: incoming.url,
          headers: { ...incoming.headers, connection: 'close' },
          agent,
          timeout: 40_000,
        },
        (response) => {
          bytesOf(response).then(
            (answer) => resolve({ status: response.statusCode, headers: response.headers, body: answer }),
            reject,
          );
        },
      );
      request.on('error', reject);
      request.on('timeout', () => request.destroy(new Error('no answer')));
      request.end(body);
    });
  }

  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    hop,
    counts,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function bytesOf(stream) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('aborted', () => reject(new Error('aborted')));
  });
}
