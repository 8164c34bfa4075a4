import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { z } from 'zod';

const directory = new URL('../../../src/db/migrations/', import.meta.url);
const releases = new URL('../../releases/', import.meta.url);

const files = readdirSync(directory).map((name) => {
  const text = readFileSync(new URL(name, directory), 'utf8');
  return { name, text, up: text.split('-- Down Migration')[0] ?? '' };
});

/** The migrations of each release, by name, with the checksum of the file. */
const released = readdirSync(releases)
  .filter((name) => existsSync(new URL(`${name}/release.json`, releases)))
  .map((version) => ({
    version,
    migrations: z
      .object({ migrations: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(new URL(`${version}/release.json`, releases), 'utf8'))).migrations,
  }));
const first = released.find(({ version }) => version === '0.1.0');

/** The migrations that run on databases in use. */
const laterThanFirst = files.filter(
  ({ name }) => !(name.slice(0, -'.sql'.length) in (first?.migrations ?? {})),
);

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the faults of released migrations, in sentences that name the fix. */
const faults = (present: readonly { name: string; text: string }[]): string[] =>
  released.flatMap(({ version, migrations }) =>
    Object.entries(migrations).flatMap(([name, sum]) => {
      const file = present.find((one) => one.name === `${name}.sql`);
      return file !== undefined && checksum(file.text) === sum
        ? []
        : [`${name}.sql was released with ${version} and never changes: restore it and add a new migration`];
    }),
  );

/** Returns indexes on existing tables that a migration builds while it blocks writers. */
const blockingIndexes = (up: string): string[] => {
  const own = new Set([...up.matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+)/g)].map(([, table]) => table));
  return [...up.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(\w+)\s+ON (\w+)/g)]
    .filter(([, , table]) => !own.has(table))
    .map(([, index = '']) => index);
};

/** Returns indexes that a migration builds beside writers without first dropping the rest of a failed try. */
const notRepeatable = (up: string): string[] => {
  const built = [...up.matchAll(/INDEX CONCURRENTLY (?!IF)(\w+)/g)].map(([, index = '']) => index);
  const dropped = [...up.matchAll(/DROP INDEX CONCURRENTLY IF EXISTS (\w+)/g)].map(([, index]) => index);
  return built.filter((index) => !dropped.includes(index));
};

const isOutsideTransaction = ({ up }: { up: string }): boolean => up.startsWith('-- No transaction');
/** Whether a migration builds an index beside writers, or fills rows in parts that commit. */
const worksBesideWriters = ({ up }: { up: string }): boolean => /INDEX CONCURRENTLY (?!IF)|^CALL /m.test(up);

describe('released migrations', () => {
  it('are those of the release, byte by byte', () => {
    expect(first).toBeDefined();
    expect(faults(files)).toEqual([]);
  });

  it('are reported when one is changed or removed', () => {
    const [one, ...others] = files;
    const text = one?.text ?? '';
    for (const present of [others, [{ name: one?.name ?? '', text: `${text}-- a word more\n` }, ...others]]) {
      expect(faults(present)[0]).toMatch(/^0001_\w+\.sql was released with 0\.1\.0 .* add a new migration$/);
    }
  });
});

describe('the schema of the first release', () => {
  const lines = files
    .filter((file) => !laterThanFirst.includes(file))
    .flatMap(({ name, up }) =>
      up.split('\n').map((text, index, all) => ({ name, text, before: all[index - 1] })),
    );

  it('is readable: under 1,300 lines, each table, index, trigger and function once and with its reason', () => {
    expect(lines.length).toBeLessThan(1_300);
    const made = lines.filter(({ text }) =>
      /^CREATE (TABLE|UNLOGGED TABLE|(UNIQUE )?INDEX|FUNCTION|TRIGGER|SEQUENCE)/.test(text),
    );
    const bare = made.filter(
      ({ before = '' }) => !/^(--|CREATE|  FOR EACH|  EXECUTE|\);|END \$\$;|  WHERE|  WHEN)/.test(before),
    );
    expect(bare.map(({ name, text }) => `${name}: ${text}`)).toEqual([]);
    const names = made.flatMap(
      ({ text }) => /^CREATE (?:UNLOGGED )?(?:TABLE|FUNCTION) (\w+)/.exec(text)?.[1] ?? [],
    );
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    const table = made.filter(({ text }) => /^CREATE (UNLOGGED )?TABLE/.test(text));
    expect(table.filter(({ before = '' }) => !before.startsWith('--'))).toEqual([]);
    expect(
      lines.filter(({ text }) => /^(UPDATE|DELETE|DROP|INSERT|ALTER TABLE \w+ (?!ENABLE ROW))/.test(text)),
    ).toEqual([]);
  });
});

describe('migrations of a database in use', () => {
  it('build indexes beside writers', () => {
    for (const { name, up } of laterThanFirst)
      expect({ name, found: blockingIndexes(up) }).toEqual({ name, found: [] });
    // The rule finds the forbidden index.
    expect(
      blockingIndexes('CREATE TABLE a (b int);\nCREATE INDEX a_b ON a (b);\nCREATE INDEX c_d ON c (d);'),
    ).toEqual(['c_d']);
  });

  it('may be repeated where no transaction rolls them back', () => {
    for (const file of laterThanFirst) {
      expect({ name: file.name, found: notRepeatable(file.up) }).toEqual({ name: file.name, found: [] });
      expect([file.name, isOutsideTransaction(file)]).toEqual([file.name, worksBesideWriters(file)]);
    }
    expect(notRepeatable('CREATE INDEX CONCURRENTLY a_b ON a (b);')).toEqual(['a_b']);
  });
});
