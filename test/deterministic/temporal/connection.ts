import { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { replace } from '../globals.ts';
import { RpcError, codes } from './rpc-error.ts';
import type { TemporalServer } from './server.ts';
import { Service } from './service.ts';
import type { WorkerOptions } from './worker.ts';

/** Returns an object that the SDK's client and worker use as a connection. */
function connectionTo(server: TemporalServer, service: Service): object {
  const deadlines = new AsyncLocalStorage<number>();
  const { scheduler } = server;
  const within = async (name: string, call: () => Promise<unknown>): Promise<unknown> => {
    // The deadline is read by the clock of the calling process, which may be wrong.
    const withinMs = (deadlines.getStore() ?? Date.now() + 60_000) - Date.now();
    const callLost = scheduler.draws('call to Temporal lost', 0.004);
    const answerLost = !callLost && scheduler.draws('answer of Temporal lost', 0.004);
    const isHeld = scheduler.draws('call to Temporal held', 0.002);
    // The client's own retry after a lost answer: the same request once more.
    const isRepeated = scheduler.draws('call to Temporal repeated', 0.01);
    const answer = (async () => {
      if (isHeld) await scheduler.pause(500, 14_000);
      await scheduler.pause(0.2, 5);
      if (callLost) throw new RpcError(codes.unavailable, 'no connection');
      if (isRepeated) {
        call().catch(() => undefined);
        await scheduler.pause(5, 200);
      }
      const value = await call();
      await scheduler.pause(0.1, 3);
      if (answerLost) throw new RpcError(codes.unavailable, 'the connection was lost');
      return value;
    })();
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new RpcError(codes.deadlineExceeded, `${name}: deadline exceeded`));
      const timer = scheduler.after(withinMs, null, late);
      answer.then(resolve, reject).finally(() => timer.cancel());
    });
  };
  const workflowService = new Proxy(service, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') {
        return () => Promise.reject(new RpcError(codes.unimplemented, `${String(name)} is not simulated`));
      }
      return (request: unknown) =>
        within(String(name), () => Reflect.apply(method, target, [request]) as Promise<unknown>);
    },
  });
  const asIs = <T>(_given: unknown, work: () => T): T => work();
  return {
    workflowService,
    operatorService: {},
    healthService: {},
    testService: {},
    plugins: [],
    options: {},
    ensureConnected: async () => undefined,
    close: async () => undefined,
    withDeadline: <T>(untilMs: number | Date, work: () => T): T => deadlines.run(Number(untilMs), work),
    withAbortSignal: asIs,
    withMetadata: asIs,
    withApiKey: asIs,
  };
}

/** Replaces the connections and workers of the SDK. Returns functions that restore them. */
export function serveTemporal(server: () => TemporalServer): (() => void)[] {
  const services = new WeakMap<TemporalServer, Service>();
  const connect = (): object => {
    const service = services.get(server()) ?? new Service(server());
    services.set(server(), service);
    return connectionTo(server(), service);
  };
  return [
    replace(Connection, 'lazy', connect),
    replace(Connection, 'connect', async () => connect()),
    replace(NativeConnection, 'connect', async () => connect()),
    replace(Worker, 'create', async (options: WorkerOptions) => server().createWorker(options)),
  ];
}
