import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory } from './make-directory.mjs';
import { errorCode } from './problem.mjs';
import { isSameProcess, processIdentity } from './process-identity.mjs';

/**
 * The holder of a lock; `pid` is 0 when it cannot be read. `stopping`: it is about to release the lock.
 * @typedef {{ pid: number, startedAt?: string | undefined, stopping?: boolean }} LockHolder
 */

/**
 * A lock that is held. `update` stores a note beside the holder's identity for other processes.
 * @typedef {{ update(notes: { stopping?: boolean }): void, release(): void }} Lock
 */

const POLL_MS = 200;
/** A younger unreadable lock may still be being written. */
const TORN_LOCK_MS = 5_000;
/** Taking over lasts microseconds, so an older takeover was left by a process that died during it. */
const ABANDONED_TAKEOVER_MS = 10_000;
const ROUNDS = 50;
const ROUND_MS = 5;

/**
 * Takes the lock file at `path`; returns the lock, or its holder. A lock whose owner died is taken over, so
 * that no manual cleanup is needed after `kill -9`.
 * @param {string} path
 * @returns {{ lock: Lock, holder?: undefined } | { lock?: undefined, holder: LockHolder }}
 */
export function tryLock(path) {
  makeDirectory(dirname(path));
  const mine = { pid: process.pid, startedAt: processIdentity(process.pid) };
  for (let round = 0; round < ROUNDS; round += 1) {
    if (createExclusively(path, mine)) return { lock: heldLock(path, mine) };
    const holder = readHolder(path);
    if (holder === 'torn') return { holder: { pid: 0 } };
    if (holder === undefined) continue;
    if (isSameProcess(holder)) return { holder };
    removeStale(path, holder);
    pause(ROUND_MS);
  }
  return { holder: { pid: 0 } };
}

/**
 * Runs `work` while holding the lock, waiting for other holders first. `onWait(holder)` is called once when
 * there is a wait. Throws after `timeoutMs`.
 * @template T
 * @param {string} path
 * @param {{ timeoutMs: number, onWait?: (holder: LockHolder) => void }} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, { timeoutMs, onWait = () => {} }, work) {
  const deadline = Date.now() + timeoutMs;
  let isReported = false;
  for (;;) {
    const { lock, holder } = tryLock(path);
    if (lock) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (!isReported) onWait(holder);
    isReported = true;
    if (Date.now() > deadline) throw new Error(`process ${holder.pid} has held ${path} for too long`);
    await sleep(POLL_MS);
  }
}

/**
 * @param {string} path
 * @param {LockHolder} mine
 * @returns {Lock}
 */
function heldLock(path, mine) {
  return {
    update(notes) {
      const scratch = scratchName(path);
      writeFileSync(scratch, JSON.stringify({ ...mine, ...notes }), { mode: 0o600 });
      renameSync(scratch, path);
    },
    release() {
      const holder = readHolder(path);
      if (holder !== 'torn' && holder?.pid === mine.pid) rmSync(path, { force: true });
    },
  };
}

/**
 * Writes a lock by a hard link, which appears whole or not at all, so that no process reads a partial one. On
 * file systems without hard links: by an exclusive write.
 * @param {string} path
 * @param {LockHolder} record
 */
function createExclusively(path, record) {
  const scratch = scratchName(path);
  writeFileSync(scratch, JSON.stringify(record), { mode: 0o600 });
  try {
    linkSync(scratch, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    return writeExclusively(path, record);
  } finally {
    rmSync(scratch, { force: true });
  }
}

/**
 * @param {string} path
 * @param {LockHolder} record
 */
function writeExclusively(path, record) {
  try {
    writeFileSync(path, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @returns {LockHolder | 'torn' | undefined}
 */
function readHolder(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
    return JSON.parse(text);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    return Date.now() - modifiedAt(path) < TORN_LOCK_MS ? 'torn' : { pid: 0 };
  }
}

/** @param {string} path */
function modifiedAt(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/**
 * Removes the lock of a dead process. One process at a time may do so, and reads the lock again first:
 * otherwise a slow one could remove the lock that a faster one has meanwhile taken.
 * @param {string} path
 * @param {LockHolder} stale
 */
function removeStale(path, stale) {
  const takeover = `${path}.takeover`;
  try {
    mkdirSync(takeover);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if (Date.now() - modifiedAt(takeover) > ABANDONED_TAKEOVER_MS)
      rmSync(takeover, { recursive: true, force: true });
    return;
  }
  try {
    const holder = readHolder(path);
    if (holder !== 'torn' && holder?.pid === stale.pid && holder.startedAt === stale.startedAt)
      rmSync(path, { force: true });
  } finally {
    rmSync(takeover, { recursive: true, force: true });
  }
}

/**
 * Blocks the thread: the wait is for microseconds, and callers need a synchronous result.
 * @param {number} ms
 */
function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** @param {string} path */
function scratchName(path) {
  return `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
}
