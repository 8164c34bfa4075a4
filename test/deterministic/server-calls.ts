import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from 'node:worker_threads';
import type { ServerAddress } from './server-session.ts';

/** What the thread does, with its arguments and its result. Sessions are named by their process ids. */
export interface ThreadWork {
  /** Opens a session. */
  open(database: string): Promise<number>;
  /**
   * Sends messages, and waits until the server has been ready `readies` times. Returns null, and stops the
   * server's process, when the statement waits for a lock.
   */
  send(pid: number, bytes: Uint8Array, readies: number): Promise<Uint8Array | null>;
  /** Continues a stopped process. Returns null, and stops it again, when it still waits for a lock. */
  resume(pid: number): Promise<Uint8Array | null>;
  /** Cancels the statement of a stopped process. */
  cancel(pid: number): Promise<Uint8Array>;
  /** Which of these stopped processes have been given the locks for which they waited. */
  granted(pids: number[]): Promise<number[]>;
  /** The pairs of a process that waits for a lock and one that it waits for. */
  blockers(): Promise<[number, number][]>;
  /** Ends sessions, stopped or not. */
  end(pids: number[]): Promise<void>;
  /** Runs a statement outside of all seeds' databases. */
  administer(sql: string): Promise<void>;
}

export interface ThreadData {
  address: ServerAddress;
  port: MessagePort;
  /** Becomes 1 when the result of a call has been posted. */
  done: Int32Array;
}

export interface ThreadCall {
  name: keyof ThreadWork;
  given: unknown[];
}

/** The result of a call, or why it failed. */
export type ThreadResult = { result: unknown } | { failed: string };

/** Longest duration of a call, in ms of the real clock. */
const callMs = 60_000;

/**
 * Calls the thread that speaks with PostgreSQL, and waits without turning the event loop. So everything else
 * in this process stands still for as long as a statement takes, and the order of steps does not depend on
 * that.
 */
export class ServerThread {
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #done = new Int32Array(new SharedArrayBuffer(4));

  constructor(address: ServerAddress) {
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadData = { address, port: port2, done: this.#done };
    this.#thread = new Worker(new URL('./server-thread.js', import.meta.url), {
      workerData,
      transferList: [port2],
    });
    this.#thread.unref();
    this.#port = port1;
  }

  call<Name extends keyof ThreadWork>(
    name: Name,
    ...given: Parameters<ThreadWork[Name]>
  ): Awaited<ReturnType<ThreadWork[Name]>> {
    Atomics.store(this.#done, 0, 0);
    const call: ThreadCall = { name, given };
    this.#port.postMessage(call);
    if (Atomics.wait(this.#done, 0, 0, callMs) === 'timed-out') throw new Error(`PostgreSQL hangs: ${name}`);
    const received = receiveMessageOnPort(this.#port);
    if (received === undefined) throw new Error(`the thread of PostgreSQL did not answer: ${name}`);
    const answer = received.message as ThreadResult;
    if ('failed' in answer) throw new Error(answer.failed);
    return answer.result as Awaited<ReturnType<ThreadWork[Name]>>;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
