import { readFileSync, readdirSync } from 'node:fs';

const directory = new URL('../../../src/db/migrations/', import.meta.url);
const files = readdirSync(directory).map((name) => ({
  name,
  up: readFileSync(new URL(name, directory), 'utf8').split('-- Down Migration')[0] ?? '',
}));
/** Before it, no database with rows went on from one version to the next. */
const sinceInUse = files.filter(({ name }) => name >= '0014');

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
    // The rule sees what it forbids: an earlier migration has some.
    expect(files.flatMap(({ up }) => blockingIndexes(up))).toContain('payments_overdue');
  });

  it('are missed when one is changed or removed', () => {
    const [one, ...others] = files;
    const text = one?.text ?? '';
    for (const present of [others, [{ name: one?.name ?? '', text: `${text}-- a word more\n` }, ...others]]) {
      expect(faults(present)[0]).toMatch(/^0001_\w+\.sql was released with 0\.1\.0 .* add a new migration$/);
    }
  });
});
