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

/** Something that is closed at the end. */
export interface Closable {
  close(): Promise<void> | void;
}

/**
 * Returns a simulator made of its parts. It closes in this order: `alarms`, held answers, the server, and
 * then the `stores` one after the other, when they are no longer used.
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

/** Repeats `work` without keeping the process alive. Failures are logged. */
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
