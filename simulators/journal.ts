import { createReadStream } from 'node:fs';
import { mkdir, open, rename, truncate, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Limit of lines that wait for the disk. Further lines are refused instead of piling up. */
const MAX_WAITING_LINES = 20_000;

interface Waiter {
  upTo: number;
  resolve: () => void;
  reject: (reason: Error) => void;
}

/**
 * An append-only file of JSON lines. Each line is on disk (fsync) before any answer reports it.
 *
 * Appends that arrive while the disk is busy share the next fsync. When a crash tore the last line, the next
 * opening cuts it off, because no answer has reported it. A damaged line elsewhere means lost history, and
 * opening refuses.
 */
export class Journal {
  readonly file: string;
  readonly #onBroken: (reason: Error) => void;
  #handle: FileHandle;
  #queue: string[] = [];
  #appended = 0;
  #durable = 0;
  #waiters: Waiter[] = [];
  #draining: Promise<void> | null = null;
  #broken: Error | null = null;
  #closed = false;

  private constructor(file: string, handle: FileHandle, onBroken: (reason: Error) => void) {
    this.file = file;
    this.#handle = handle;
    this.#onBroken = onBroken;
  }

  /**
   * Reads every entry of `file` (created when missing, mode 0600) through `onEntry`, then opens it for
   * appending. `onBroken` is called once when a later write fails. The state in memory is then ahead of the
   * disk, so the process must end.
   */
  static async open(
    file: string,
    onEntry: (entry: unknown) => void,
    onBroken: (reason: Error) => void = () => undefined,
  ): Promise<Journal> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const made = await open(file, 'a', 0o600);
    await made.close();
    await syncFolder(file);
    const intactBytes = await readEntries(file, onEntry);
    await truncate(file, intactBytes);
    return new Journal(file, await open(file, 'a', 0o600), onBroken);
  }

  /**
   * Queues one entry. It is on disk when the next `flushed()` resolves. Throws when the disk cannot keep up
   * or has failed.
   */
  append(entry: unknown): void {
    this.requireRoom();
    this.#queue.push(`${JSON.stringify(entry)}\n`);
    this.#appended += 1;
    this.#kick();
  }

  /** Throws when the next `append` would. */
  requireRoom(): void {
    if (this.#broken) throw this.#broken;
    if (this.#closed) throw new Error('journal is closed');
    if (this.#queue.length >= MAX_WAITING_LINES) throw new Error('journal cannot keep up');
  }

  /** Resolves when everything appended before this call is on disk. */
  flushed(): Promise<void> {
    if (this.#broken) return Promise.reject(this.#broken);
    if (this.#durable === this.#appended) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ upTo: this.#appended, resolve, reject });
    });
  }

  /**
   * Replaces the file by the entries of `snapshot`, atomically. `snapshot` is called when no append is
   * waiting, so that no later append can bring back an entry that was removed from the state.
   */
  async rewrite(snapshot: () => Iterable<unknown>): Promise<void> {
    while (this.#draining) await this.#draining;
    if (this.#broken) throw this.#broken;
    if (this.#closed) return;
    const lines = Array.from(snapshot(), (entry) => `${JSON.stringify(entry)}\n`);
    this.#draining = this.#replace(lines.join('')).finally(() => {
      this.#draining = null;
      if (this.#queue.length > 0) this.#kick();
    });
    await this.#draining;
    if (this.#broken) throw this.#broken;
  }

  async close(): Promise<void> {
    this.#closed = true;
    while (this.#draining) await this.#draining;
    await this.#handle.close();
  }

  #kick(): void {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  async #drain(): Promise<void> {
    // One turn of the event loop lets the requests that arrived together share the first fsync too.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    try {
      while (this.#queue.length > 0) {
        const lines = this.#queue;
        this.#queue = [];
        await this.#handle.appendFile(lines.join(''));
        await this.#handle.datasync();
        this.#durable += lines.length;
        this.#release();
      }
    } catch (error) {
      this.#break(error);
    }
  }

  async #replace(content: string): Promise<void> {
    try {
      const temporary = `${this.file}.new`;
      const handle = await open(temporary, 'w', 0o600);
      await handle.appendFile(content);
      await handle.sync();
      await handle.close();
      await rename(temporary, this.file);
      await syncFolder(this.file);
      const old = this.#handle;
      this.#handle = await open(this.file, 'a', 0o600);
      await old.close();
    } catch (error) {
      this.#break(error);
    }
  }

  #release(): void {
    const ready = this.#waiters.filter((waiter) => waiter.upTo <= this.#durable);
    this.#waiters = this.#waiters.filter((waiter) => waiter.upTo > this.#durable);
    for (const waiter of ready) waiter.resolve();
  }

  #break(error: unknown): void {
    this.#broken = new Error('journal could not be written', { cause: error });
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#broken);
    this.#onBroken(this.#broken);
  }
}

/** Feeds each whole line to `onEntry`; returns the length in bytes of the intact beginning of the file. */
async function readEntries(file: string, onEntry: (entry: unknown) => void): Promise<number> {
  let pending = Buffer.alloc(0);
  let intactBytes = 0;
  let damaged = false;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    pending = Buffer.concat([pending, chunk]);
    let start = 0;
    for (let end = pending.indexOf(10, start); end !== -1; end = pending.indexOf(10, start)) {
      // A damaged line is accepted only as the last one, where a crash may have cut a write short.
      if (damaged)
        throw new Error(`${file} is damaged at byte ${intactBytes}: restore it or start with a fresh one`);
      const entry = parseLine(pending.subarray(start, end));
      if (entry === undefined) damaged = true;
      else {
        onEntry(entry);
        intactBytes += end + 1 - start;
      }
      start = end + 1;
    }
    pending = pending.subarray(start);
  }
  return intactBytes;
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** A new or renamed file survives a crash only when its folder is on disk too. */
async function syncFolder(file: string): Promise<void> {
  try {
    const folder = await open(dirname(file), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    // Windows has no way to sync a folder; everywhere else this is a real failure.
    if (process.platform !== 'win32') throw error;
  }
}
