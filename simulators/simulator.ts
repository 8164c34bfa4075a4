import type { FastifyInstance } from 'fastify';
import type { Holds } from './holds.ts';
import type { Log, PublicAddress } from './server.ts';

/** A simulator that was built on its folder. Nothing listens before `listen()`. */
export interface Simulator {
  app: FastifyInstance;
  /** Starts listening and gives the public address. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** Something that is let go of at the end. */
export interface Closable {
  close(): Promise<void> | void;
}

/**
 * Returns a simulator out of its parts. It ends in this order: `alarms`, which ring no more; answers that are
 * held back and the server; then `stores`, one after the other, which nobody uses any more.
 */
export function simulatorOf(parts: {
  app: FastifyInstance;
  address: PublicAddress;
  holds: Holds;
  alarms: readonly Closable[];
  stores: readonly Closable[];
}): Simulator {
  const { app, address, holds, alarms, stores } = parts;
  return {
    app,
    listen: () => address.listen(app),
    close: async () => {
      for (const alarm of alarms) await alarm.close();
      holds.releaseAll();
      await app.close();
      for (const store of stores) await store.close();
    },
  };
}

/** Does some work again and again, without keeping the process; `log` is told when it fails. */
export function repeatedly(
  everyMs: number,
  what: string,
  work: () => void | Promise<void>,
  log: Log,
): Closable {
  const timer = setInterval(() => {
    Promise.resolve()
      .then(work)
      .catch(() => log(`${what} failed`));
  }, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
