import { z } from 'zod';
import { Journal } from './journal.ts';

/** One journal entry: the document `v` under key `k` of table `t`. Without `v` it is deleted. */
const entrySchema = z.object({ t: z.string(), k: z.string(), v: z.unknown().optional() });
type Entry = z.infer<typeof entrySchema>;
/** A journal line: one entry, or several that belong together. */
const lineSchema = z.union([z.object({ g: z.array(entrySchema) }), entrySchema]);

/** Documents of one kind by key. A document is replaced as a whole, never changed in place. */
export class Table<Doc extends object> {
  readonly #name: string;
  readonly #schema: z.ZodType<Doc>;
  readonly #append: (entry: Entry) => void;
  readonly #documents = new Map<string, Doc>();

  constructor(name: string, schema: z.ZodType<Doc>, append: (entry: Entry) => void) {
    this.#name = name;
    this.#schema = schema;
    this.#append = append;
  }

  get size(): number {
    return this.#documents.size;
  }

  get(key: string): Doc | undefined {
    return this.#documents.get(key);
  }

  values(): IterableIterator<Doc> {
    return this.#documents.values();
  }

  entries(): IterableIterator<[string, Doc]> {
    return this.#documents.entries();
  }

  put(key: string, doc: Doc): Doc {
    // The journal comes first: it throws when it is full or broken, and memory must not be ahead of it then.
    this.#append({ t: this.#name, k: key, v: doc });
    this.#documents.set(key, doc);
    return doc;
  }

  delete(key: string): void {
    if (!this.#documents.has(key)) return;
    this.#append({ t: this.#name, k: key });
    this.#documents.delete(key);
  }

  /** Applies a line of the journal. */
  replay(entry: Entry): void {
    if (entry.v === undefined) this.#documents.delete(entry.k);
    else this.#documents.set(entry.k, this.#schema.parse(entry.v));
  }

  /** The lines that restore this table. */
  *snapshot(): Iterable<Entry> {
    for (const [k, v] of this.#documents) yield { t: this.#name, k, v };
  }
}

/**
 * A small database: tables in memory, stored in one append-only journal and rebuilt from it. Create the
 * tables, then call `open`.
 */
export class Database {
  readonly #tables = new Map<string, Pick<Table<object>, 'replay' | 'snapshot'>>();
  #journal: Journal | null = null;
  #group: Entry[] | null = null;

  table<Doc extends object>(name: string, schema: z.ZodType<Doc>): Table<Doc> {
    const table = new Table(name, schema, (entry) => {
      if (this.#group) this.#group.push(entry);
      else this.#opened().append(entry);
    });
    this.#tables.set(name, table);
    return table;
  }

  /** `onBroken`: see `Journal.open`. */
  async open(file: string, onBroken?: (reason: Error) => void): Promise<void> {
    const replay = (raw: unknown): void => {
      const line = lineSchema.parse(raw);
      for (const entry of 'g' in line ? line.g : [line]) this.#tables.get(entry.t)?.replay(entry);
    };
    this.#journal = await Journal.open(file, replay, onBroken);
  }

  /**
   * Runs `work` and writes its changes as one line of the journal: after a crash all of them are there, or
   * none. Throws before `work` starts when the journal accepts nothing more.
   */
  together<Result>(work: () => Result): Result {
    if (this.#group) return work();
    const journal = this.#opened();
    journal.requireRoom();
    const group: Entry[] = [];
    this.#group = group;
    try {
      return work();
    } finally {
      this.#group = null;
      if (group.length > 0) journal.append({ g: group });
    }
  }

  /** Resolves when every change made before this call is on disk. */
  flushed(): Promise<void> {
    return this.#opened().flushed();
  }

  /** Rewrites the file with the current documents only. */
  compact(): Promise<void> {
    return this.#opened().rewrite(() => this.#snapshot());
  }

  close(): Promise<void> {
    return this.#opened().close();
  }

  *#snapshot(): Iterable<Entry> {
    for (const table of this.#tables.values()) yield* table.snapshot();
  }

  #opened(): Journal {
    if (!this.#journal) throw new Error('the database is not open');
    return this.#journal;
  }
}
