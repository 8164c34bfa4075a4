import { readFileSync, readdirSync } from 'node:fs';

const directory = new URL('../../../src/db/migrations/', import.meta.url);
const files = readdirSync(directory).map((name) => ({
  name,
  up: readFileSync(new URL(name, directory), 'utf8').split('-- Down Migration')[0] ?? '',
}));
/** The migrations after 0009, the last one of the first schema: they may meet a database with rows. */
const sinceInUse = files.filter(({ name }) => name >= '0010');

/** Indexes that a migration builds on tables it does not create, and blocks writers meanwhile. */
const blockingIndexes = (up: string): string[] => {
  const own = new Set([...up.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table));
  return [...up.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(\w+)\s+ON (\w+)/g)]
    .filter(([, , table]) => !own.has(table))
    .map(([, index = '']) => index);
};

describe('migrations of a database in use', () => {
  it('build indexes beside writers', () => {
    for (const { name, up } of sinceInUse)
      expect({ name, found: blockingIndexes(up) }).toEqual({ name, found: [] });
    // The rule finds what it forbids, and only that.
    const ownTable = 'CREATE TABLE notes (id int);\nCREATE INDEX notes_by_id ON notes (id);\n';
    expect(blockingIndexes(`${ownTable}CREATE INDEX payments_late ON payments (id);`)).toEqual([
      'payments_late',
    ]);
    expect(blockingIndexes('CREATE INDEX CONCURRENTLY payments_late ON payments (id);')).toEqual([]);
  });

  it('may be repeated where no transaction rolls them back', () => {
    for (const { name, up } of sinceInUse) {
      const built = [...up.matchAll(/INDEX CONCURRENTLY (?!IF)(\w+)/g)].map(([, index]) => index);
      const dropped = [...up.matchAll(/DROP INDEX CONCURRENTLY IF EXISTS (\w+)/g)].map(([, index]) => index);
      expect({ name, dropped }).toEqual({ name, dropped: built });
      expect(up.startsWith('-- No transaction')).toBe(built.length > 0);
    }
  });
});
