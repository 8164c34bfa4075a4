import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Journal } from '../../../simulators/journal.ts';
import { Database } from '../../../simulators/tables.ts';

describe('the journal', () => {
  let dir: string;
  let file: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'journal-'));
    file = join(dir, 'deep', 'a.jsonl');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const reopened = async (): Promise<unknown[]> => {
    const entries: unknown[] = [];
    const journal = await Journal.open(file, (entry) => entries.push(entry));
    await journal.close();
    return entries;
  };

  it('returns every entry in order after it is opened again', async () => {
    const journal = await Journal.open(file, () => undefined);
    for (let n = 0; n < 500; n += 1) journal.append({ n });
    await journal.flushed();
    await journal.close();
    expect(await reopened()).toEqual(Array.from({ length: 500 }, (_, n) => ({ n })));
  });

  it('has an entry in the file when flushed() resolves', async () => {
    const journal = await Journal.open(file, () => undefined);
    journal.append({ n: 1 });
    await journal.flushed();
    expect(await readFile(file, 'utf8')).toBe('{"n":1}\n');
    await journal.close();
  });

  it('makes its file accessible to its owner only', async () => {
    await (await Journal.open(file, () => undefined)).close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each(['{"n":2', '{"n":2}garbage\n', '\u0000\u0000\n', '"'])(
    'cuts off a torn last line (%j) and continues',
    async (torn) => {
      const journal = await Journal.open(file, () => undefined);
      journal.append({ n: 1 });
      await journal.close();
      await appendFile(file, torn);
      const again = await Journal.open(file, () => undefined);
      again.append({ n: 3 });
      await again.close();
      expect(await reopened()).toEqual([{ n: 1 }, { n: 3 }]);
    },
  );

  it('refuses a file that is damaged in the middle, naming it', async () => {
    await (await Journal.open(file, () => undefined)).close();
    await writeFile(file, '{"n":1}\n{"n":\n{"n":3}\n');
    await expect(reopened()).rejects.toThrow(/a\.jsonl is damaged at byte 8/);
  });

  it('reads lines that are longer than one read', async () => {
    const long = { text: 'ü'.repeat(200_000) };
    const journal = await Journal.open(file, () => undefined);
    journal.append(long);
    journal.append({ n: 2 });
    await journal.close();
    expect(await reopened()).toEqual([long, { n: 2 }]);
  });

  it('accepts nothing after it was closed', async () => {
    const journal = await Journal.open(file, () => undefined);
    await journal.close();
    expect(() => journal.append({ n: 1 })).toThrow('closed');
  });

  it('keeps entries that are appended during a rewrite', async () => {
    const journal = await Journal.open(file, () => undefined);
    journal.append({ n: 1 });
    journal.append({ n: 2 });
    const rewriting = journal.rewrite(() => [{ n: 2 }]);
    await rewriting;
    journal.append({ n: 3 });
    await journal.close();
    expect(await reopened()).toEqual([{ n: 2 }, { n: 3 }]);
  });
});

describe('the tables', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tables-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const open = async () => {
    const database = new Database();
    const notes = database.table('notes', z.object({ text: z.string() }));
    await database.open(join(dir, 'notes.jsonl'));
    return { database, notes };
  };

  it('have the last version of each document and no deleted one after they are opened again', async () => {
    const { database, notes } = await open();
    notes.put('a', { text: 'one' });
    notes.put('b', { text: 'two' });
    notes.put('a', { text: 'three' });
    notes.delete('b');
    await database.close();
    const again = await open();
    expect([...again.notes.entries()]).toEqual([['a', { text: 'three' }]]);
    await again.database.close();
  });

  it('leave no byte of a deleted or replaced document after compaction', async () => {
    const { database, notes } = await open();
    notes.put('a', { text: 'old-words' });
    notes.put('a', { text: 'new-words' });
    notes.put('b', { text: 'gone-words' });
    notes.delete('b');
    await database.compact();
    const raw = await readFile(join(dir, 'notes.jsonl'), 'utf8');
    expect(raw).toContain('new-words');
    expect(raw).not.toMatch(/old-words|gone-words/);
    await database.close();
  });

  it('keep changes of one transaction all or, when a crash tore them, not at all', async () => {
    const { database, notes } = await open();
    notes.put('before', { text: 'kept' });
    database.together(() => {
      notes.put('a', { text: 'one' });
      database.together(() => notes.put('b', { text: 'two' }));
      notes.delete('before');
    });
    await database.close();
    const file = join(dir, 'notes.jsonl');
    const raw = await readFile(file, 'utf8');
    const whole = await open();
    expect([...whole.notes.entries()].map(([key]) => key)).toEqual(['a', 'b']);
    await whole.database.close();

    await writeFile(file, raw.slice(0, -5));
    const torn = await open();
    expect([...torn.notes.entries()].map(([key]) => key)).toEqual(['before']);
    await torn.database.close();
  });

  it('keep the changes before a failure, on disk as in memory', async () => {
    const { database, notes } = await open();
    const work = () => {
      notes.put('a', { text: 'one' });
      throw new Error('afterwards');
    };
    expect(() => database.together(work)).toThrow('afterwards');
    notes.put('b', { text: 'two' });
    await database.close();
    const again = await open();
    expect([...again.notes.entries()].map(([key]) => key)).toEqual(['a', 'b']);
    await again.database.close();
  });
});
