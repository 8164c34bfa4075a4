import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `pass`; `refuse`: every connection is closed at once, including open ones; `hold`: connections are accepted
 * and kept, but no data moves, as with a frozen server. Held data moves on when the relay passes again.
 */
export type RelayMode = 'pass' | 'refuse' | 'hold';

/** A TCP relay on loopback between the service and a server it needs. */
export interface TcpRelay {
  port: number;
  /** Port on 127.0.0.1 that connections go to; set once the server is known. */
  targetPort: number;
  /** Delay of every piece of an answer, in ms, which simulates a round trip. */
  delayMs: number;
  be(mode: RelayMode): void;
  close(): Promise<void>;
}

export async function tcpRelay(): Promise<TcpRelay> {
  let mode: RelayMode = 'pass';
  let moving = Promise.resolve();
  let moveOn = (): void => undefined;
  const sockets = new Set<Socket>();

  /** Stops reading while it waits, so that the sender's buffer fills as with a frozen server. */
  const carry = async (from: Socket, to: Socket, delay: () => number): Promise<void> => {
    for await (const chunk of from) {
      if (delay() > 0) await sleep(delay());
      await moving;
      if (!to.write(chunk as Buffer)) await once(to, 'drain');
    }
    await moving;
    to.end();
  };

  const server = createServer((client) => {
    if (mode === 'refuse') return void client.resetAndDestroy();
    const upstream = connect({ host: '127.0.0.1', port: relay.targetPort, noDelay: true });
    client.setNoDelay(true);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => sockets.delete(socket));
    }
    carry(client, upstream, () => 0).catch(end);
    carry(upstream, client, () => relay.delayMs).catch(end);
  });

  const relay: TcpRelay = {
    port: 0,
    targetPort: 0,
    delayMs: 0,
    be(next) {
      if (next === 'hold' && mode !== 'hold') {
        moving = new Promise((resolve) => {
          moveOn = resolve;
        });
      }
      mode = next;
      if (next === 'refuse') for (const socket of sockets) socket.resetAndDestroy();
      if (next !== 'hold') moveOn();
    },
    close: () =>
      new Promise((resolve) => {
        relay.be('refuse');
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  relay.port = (server.address() as AddressInfo).port;
  return relay;
}
