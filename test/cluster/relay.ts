import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RelayMode } from '../support/harness/tcp-relay.ts';

/** A TCP relay on loopback, in its own thread. */
export interface Relay {
  port: number;
  be(mode: RelayMode): void;
  close(): Promise<void>;
}

/**
 * Opens a relay to a port on 127.0.0.1. It has its own thread, because the drill's thread also makes the
 * payments, and each statement of a history host would wait for it.
 */
export async function openRelay(targetPort: number): Promise<Relay> {
  const thread = new Worker(new URL('./relay-thread.js', import.meta.url), { workerData: targetPort });
  const [port] = (await once(thread, 'message')) as [number];
  return {
    port,
    be: (mode) => thread.postMessage(mode),
    close: async () => void (await thread.terminate()),
  };
}
