/**
 * The thread that speaks with the real PostgreSQL (`server-calls.ts`), with the real clock and its own event
 * loop. It does one thing at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { serialize } from 'pg-protocol';
import { AnswerParser, rowsOf } from './answer-parser.ts';
import type { ThreadCall, ThreadData, ThreadResult, ThreadWork } from './server-calls.ts';
import { ServerSession } from './server-session.ts';

/** When it is first looked whether a statement waits, and how often after that, in ms. */
const firstLookMs = 2;
const nextLookMs = 1;

const { address, port, done } = workerData as ThreadData;
const parser = new AnswerParser();
const sessions = new Map<number, ServerSession>();
/** The answers that stopped processes owe. */
const owed = new Map<number, Promise<Uint8Array>>();
const monitor = ServerSession.open(address, 'postgres');

/** Runs a statement on the monitor's session. Returns its rows, as texts. */
async function ask(sql: string): Promise<string[][]> {
  const messages = parser.read(await (await monitor).send(serialize.query(sql), 1));
  const failed = messages.find(({ name }) => name === 'error') as { message?: string } | undefined;
  if (failed) throw new Error(`${failed.message}: ${sql}`);
  return rowsOf(messages);
}

/**
 * Whether a process sleeps until it is given a lock. One that was given it may still be listed as waiting,
 * and one that has asked for it may not sleep yet.
 */
async function isWaiting(pid: number): Promise<boolean> {
  const rows = await ask(
    `SELECT FROM pg_locks AS l, pg_stat_get_activity(l.pid) AS s
     WHERE l.pid = ${pid} AND NOT l.granted AND s.wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}

/** Waits for an answer. Returns null, and stops the server's process, when it waits for a lock. */
async function answerOf(pid: number, answered: Promise<Uint8Array>): Promise<Uint8Array | null> {
  for (let lookMs = firstLookMs; ; lookMs = nextLookMs) {
    const stop = new AbortController();
    const pause = sleep(lookMs, null, { signal: stop.signal }).catch(() => null);
    const bytes = await Promise.race([answered, pause]);
    stop.abort();
    if (bytes !== null) return bytes;
    if (!(await isWaiting(pid))) continue;
    // So that it continues only when the scheduler lets it, and no two processes run at once.
    process.kill(pid, 'SIGSTOP');
    owed.set(pid, answered);
    return null;
  }
}

/** Continues a stopped process. Returns its answer. */
function continued(pid: number): Promise<Uint8Array> {
  const answered = owed.get(pid);
  if (answered === undefined) throw new Error(`process ${pid} waits for no lock`);
  owed.delete(pid);
  process.kill(pid, 'SIGCONT');
  return answered;
}

const work: ThreadWork = {
  async open(database) {
    const session = await ServerSession.open(address, database);
    sessions.set(session.pid, session);
    return session.pid;
  },
  async send(pid, bytes, readies) {
    const session = sessions.get(pid);
    if (session === undefined) throw new Error(`there is no session ${pid}`);
    return answerOf(pid, session.send(bytes, readies));
  },
  resume: (pid) => answerOf(pid, continued(pid)),
  async cancel(pid) {
    process.kill(pid, 'SIGINT');
    return continued(pid);
  },
  async granted(pids) {
    const waiting = new Set(
      (await ask('SELECT pid FROM pg_locks WHERE NOT granted')).map(([pid]) => Number(pid)),
    );
    return pids.filter((pid) => !waiting.has(pid));
  },
  async blockers() {
    const rows = await ask('SELECT pid, unnest(pg_blocking_pids(pid)) FROM pg_locks WHERE NOT granted');
    return rows.map(([waiting, holder]) => [Number(waiting), Number(holder)]);
  },
  async end(pids) {
    for (const pid of pids) {
      owed.get(pid)?.catch(() => undefined);
      if (owed.delete(pid)) process.kill(pid, 'SIGCONT');
      sessions.get(pid)?.end();
      sessions.delete(pid);
    }
  },
  async administer(sql) {
    await ask(sql);
  },
};

async function resultOf({ name, given }: ThreadCall): Promise<ThreadResult> {
  try {
    return { result: await (work[name] as (...all: unknown[]) => Promise<unknown>)(...given) };
  } catch (error) {
    return { failed: String(error) };
  }
}

async function serve(call: ThreadCall): Promise<void> {
  port.postMessage(await resultOf(call));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}

port.on('message', (call: ThreadCall) => void serve(call));
