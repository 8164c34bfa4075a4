import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's own rules, checked in its text. Each failure names the fix. */

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Each room with the rooms that it may import, type imports included. A room is listed after the rooms it
 * uses.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'scripts/lib': [],
  'src/domain': [],
  'src/crypto': ['src/domain'],
  'src/key-encryption': ['src/crypto'],
  'src/runtime': ['src/crypto', 'src/domain', 'src/key-encryption'],
  'src/http': ['src/domain'],
  'src/metrics': [],
  'src/tracing': [],
  'src/card-marks': [],
  'src/card-frame': ['src/card-marks', 'src/crypto', 'src/http'],
  // The simulator uses the vault's card fields of the service: ADR 0023.
  simulators: ['src/card-frame'],
  'src/providers': ['src/domain', 'src/tracing'],
  'src/db': ['src/domain', 'src/crypto', 'src/metrics'],
  'src/connectors': ['src/domain', 'src/crypto', 'src/metrics', 'src/tracing', 'src/db', 'src/providers'],
  'src/branding': ['src/domain'],
  'src/checkout-page': ['src/card-marks', 'src/domain'],
  'src/temporal/contract': ['src/domain'],
  'src/temporal/clients': ['src/domain', 'src/temporal/contract'],
  'src/temporal': ['src/crypto', 'src/tracing', 'src/temporal/contract'],
  'src/webhooks': ['src/domain', 'src/crypto', 'src/metrics', 'src/db', 'src/temporal/clients'],
  'src/mail': ['src/domain', 'src/crypto', 'src/db', 'src/checkout-page', 'src/webhooks'],
  'src/operations': [
    'src/domain',
    'src/crypto',
    'src/metrics',
    'src/tracing',
    'src/db',
    'src/providers',
    'src/temporal/clients',
    'src/temporal/contract',
    'src/webhooks',
  ],
  'src/dashboard': [
    'src/domain',
    'src/crypto',
    'src/http',
    'src/db',
    'src/connectors',
    'src/branding',
    'src/card-marks',
    'src/checkout-page',
    'src/webhooks',
    'src/mail',
    'src/operations',
  ],
  'src/activities': [
    'src/domain',
    'src/crypto',
    'src/metrics',
    'src/db',
    'src/providers',
    'src/temporal/contract',
    'src/webhooks',
  ],
  'src/sweeps': [
    'src/domain',
    'src/metrics',
    'src/db',
    'src/providers',
    'src/temporal/contract',
    'src/temporal/clients',
    'src/webhooks',
    'src/mail',
    'src/activities',
  ],
  'src/workflows': ['src/domain', 'src/db', 'src/temporal/contract', 'src/activities'],
  'src/api': [
    'src/domain',
    'src/crypto',
    'src/metrics',
    'src/tracing',
    'src/db',
    'src/temporal',
    'src/temporal/clients',
    'src/temporal/contract',
    'src/providers',
    'src/connectors',
    'src/webhooks',
    'src/branding',
    'src/checkout-page',
    'src/http',
    'src/operations',
    'src/dashboard',
  ],
  'src/worker': [
    'src/http',
    'src/metrics',
    'src/tracing',
    'src/crypto',
    'src/db',
    'src/providers',
    'src/connectors',
    'src/checkout-page',
    'src/card-frame',
    'src/temporal',
    'src/temporal/clients',
    'src/temporal/contract',
    'src/webhooks',
    'src/mail',
    'src/activities',
    'src/sweeps',
  ],
  'src/cli': [
    'src/domain',
    'src/crypto',
    'src/key-encryption',
    'src/db',
    'src/providers',
    'src/connectors',
    'src/branding',
    'src/temporal',
    'src/temporal/clients',
    'src/temporal/contract',
    'src/webhooks',
    'src/mail',
    'src/operations',
  ],
  'local-stack': ['scripts/lib', 'src/temporal/contract'],
};

/** The processes' roots. Only they read settings and create the dependencies of the rooms. */
const roots = [
  'src/api/server.ts',
  'src/card-frame/main.ts',
  'src/api/compose.ts',
  'src/worker/main.ts',
  'src/worker/compose.ts',
  'src/worker/webhooks.ts',
  'src/worker/sweeps.ts',
];
const isRoot = (file: string): boolean => roots.includes(file) || /^(src\/cli|local-stack)\//.test(file);

const rooms = Object.keys(mayImport).toSorted((a, b) => b.length - a.length);
const roomOf = (file: string): string | undefined => rooms.find((room) => file.startsWith(`${room}/`));

const filesBelow = (directory: string, pattern: RegExp): string[] =>
  readdirSync(join(root, directory), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes('node_modules'))
    .toSorted();

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const code = ['src', 'simulators', 'local-stack'].flatMap((name) => filesBelow(name, /\.tsx?$/));
const everything = [
  ...code,
  ...filesBelow('test', /\.tsx?$/),
  ...filesBelow('scripts', /\.mjs$/),
  // Generated files have their own width.
  ...filesBelow('sdk', /\.(ts|mjs)$/).filter((file) => !/openapi\.ts$|\/dist\//.test(file)),
];

/** Returns the files of the repository that a file imports, by any kind of import. */
function importsOf(file: string): string[] {
  const found = read(file).matchAll(/(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g);
  return [...found].map(([, path = '']) => relative(root, join(root, dirname(file), path)));
}

const graph = new Map(code.map((file) => [file, importsOf(file)]));

describe('imports', () => {
  it('go only where the table of rooms says', () => {
    const wrong = [...graph].flatMap(([file, imports]) =>
      imports
        .filter((target) => {
          const [from, to] = [roomOf(file), roomOf(target)];
          if (to === 'src/runtime' && from !== 'src/runtime') return !isRoot(file);
          return from !== to && !(from && to && mayImport[from]?.includes(to));
        })
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('follow the order of the table: every room comes after the rooms it uses', () => {
    const order = Object.keys(mayImport);
    const climbing = Object.entries(mayImport).flatMap(([room, used]) =>
      used.filter((name) => order.indexOf(name) >= order.indexOf(room)).map((name) => `${room} -> ${name}`),
    );
    expect(climbing).toEqual([]);
  });

  it('use every entry of the table, so that unused entries are removed', () => {
    const taken = new Set(
      [...graph].flatMap(([file, imports]) =>
        imports.map((target) => `${roomOf(file)} -> ${roomOf(target)}`),
      ),
    );
    const idle = Object.entries(mayImport)
      .flatMap(([room, used]) => used.map((name) => `${room} -> ${name}`))
      .filter((arrow) => !taken.has(arrow));
    expect(idle).toEqual([]);
  });

  it('are documented: the table of rooms in docs/architecture.md is this one, in this order', () => {
    const rows = read('docs/architecture.md').matchAll(
      /^\| `((?:src|simulators|local-stack|scripts)[\w/-]*)` +\| [^|]+ \| ([^|]+?) +\|$/gm,
    );
    const documented = [...rows].map(([, room = '', used = '']) => [
      room,
      used === 'nothing' ? [] : used.split(', '),
    ]);
    expect(documented).toEqual(Object.entries(mayImport));
  });

  it('contain no cycle of files', () => {
    expect(circles()).toEqual([]);
  });
});

/** Returns cycles of imports, each once, starting with its first file by name. */
function circles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      found.push([...path.slice(at), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return found;
}

describe('the rooms', () => {
  it('are every folder of src: none lies outside the table', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`);
    expect(folders.filter((folder) => !Object.hasOwn(mayImport, folder))).toEqual([]);
  });
});

describe('the text', () => {
  it('has SQL in src/db only', () => {
    const sql = /\b(SELECT\s[\w*$("]|INSERT INTO\s|UPDATE\s+\w+\s+SET\s|DELETE FROM\s)/;
    const outside = code.filter((file) => file.startsWith('src/') && !file.startsWith('src/db/'));
    expect(outside.filter((file) => sql.test(read(file)))).toEqual([]);
  });

  it('reads the environment in the roots only', () => {
    const readers = code.filter((file) => file.startsWith('src/') && /process\.env\b/.test(read(file)));
    expect(readers.filter((file) => !isRoot(file))).toEqual([]);
  });

  it('reads no system clock beside rows: ages and instants go by PostgreSQL (ADR 0035)', () => {
    /** Files that read the system's clock, each with its reason. */
    const justified = [
      // Used until PostgreSQL has answered once.
      'src/db/server/database-clock.ts',
      // Compares the system's clock with PostgreSQL's.
      'src/db/server/clock-watch.ts',
      // Compares no instants with stored ones.
      'src/connectors/check.ts',
    ];
    const timed = [
      ...['src/db/', 'src/sweeps/', 'src/activities/', 'src/worker/', 'src/connectors/', 'src/operations/'],
      ...['src/api/', 'src/cli/admin/', 'src/dashboard/', 'src/webhooks/', 'src/mail/'],
    ];
    // Deadlines of the worker's calls to Temporal use the clock that gRPC reads.
    const deadline = /withDeadline\(Date\.now\(\) \+/g;
    const readers = code.filter(
      (file) =>
        timed.some((room) => file.startsWith(room)) &&
        /\bDate\.now\b|\bnew Date\(\s*\)/.test(read(file).replaceAll(deadline, '')),
    );
    expect(readers.toSorted()).toEqual(justified.toSorted());
  });

  it('keeps to the width of the formatter, comments too', () => {
    const { printWidth } = JSON.parse(read('.prettierrc.json')) as { printWidth: number };
    const long = everything.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) =>
          line.length > printWidth && isProse(line) ? [`${file}:${index + 1}`] : [],
        ),
    );
    expect(long).toEqual([]);
  });

  it('refers only to files of the repository', () => {
    const known = new Set(
      (JSON.parse(read('test/conformance/requirements.json')) as { id: string }[]).map(({ id }) => id),
    );
    const adrs = new Set(readdirSync(join(root, 'docs/adr')).map((name) => name.slice(0, 4)));
    const dangling = everything.flatMap((file) =>
      commentsOf(file).flatMap((text) => danglingIn(text, known, adrs).map((what) => `${file}: ${what}`)),
    );
    expect(dangling).toEqual([]);
  });
});

/** Whether a line can be broken: comments, and code without a long string. */
function isProse(line: string): boolean {
  return /^\s*(\*|\/\/|\/\*)/.test(line);
}

/** Returns each comment as one line, because a reference may be wrapped. */
function commentsOf(file: string): string[] {
  const comments = read(file).matchAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/g);
  return [...comments].map(([text]) => text.replaceAll(/\s*\n\s*\*? ?/g, ' '));
}

/** Returns the references in a comment that a reader cannot open. */
function danglingIn(text: string, known: ReadonlySet<string>, adrs: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const elsewhere =
    /\b(contracts?(\.md)? section \d|checklist \d|reliability [A-Z]\d|[Dd]esign\/|shared\/)|\b(DEC|B|X|N|H)-?\d{1,2}\b(?!\d)/g;
  for (const [name] of text.matchAll(new RegExp(elsewhere, 'gi'))) found.push(name);
  for (const [, number = ''] of text.matchAll(/\bADR (\d{4})/g))
    if (!adrs.has(number)) found.push(`ADR ${number}`);
  for (const [id] of text.matchAll(/\b(AMB|[A-Z]{3,10})-\d{2}\b/g)) {
    if (!known.has(id) && !/^(SHA|AES|UTF|ISO|RFC|HMAC|UUID|GCM|PCI|CRC)-/.test(id)) found.push(id);
  }
  const paths = text.matchAll(
    /\b(?:src|test|docs|scripts|simulators|local-stack|examples|bin)\/[\w./<>*{},-]+\w/g,
  );
  for (const [path] of paths) if (!/[<*{]/.test(path) && !existsSync(join(root, path))) found.push(path);
  return found;
}

describe('words', () => {
  /** How often words without a role or a fact may be used. These limits may only be lowered. */
  const limits = { unnamedRoles: 3, tellAndHear: 8 };
  const unnamedRoles = ['whoever', 'nobody', 'somebody'];
  const tellAndHear = ['tell', 'told', 'tells', 'hear', 'heard'];

  const own = 'test/unit/architecture.test.ts';
  const texts = ['src', 'simulators', 'local-stack', 'test', 'docs', 'sdk']
    .flatMap((name) => filesBelow(name, /\.(tsx?|[cm]?js|css|html|json|md|sql)$/))
    // Recorded by machines.
    .filter((file) => !file.startsWith('test/histories/') || !file.endsWith('.json'))
    // This test names the words.
    .map((file) => ({
      file,
      text: file === own ? (read(file).split("describe('words'")[0] ?? '') : read(file),
    }));

  /** Returns how often each file has one of the words, alone or within an exported name. Most first. */
  function usesOf(words: readonly string[]): { file: string; uses: number }[] {
    const word = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
    const exported =
      /\bexport (?:default )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/g;
    return texts
      .map(({ file, text }) => {
        const names = [...text.matchAll(exported)].map(([, name = '']) => inWords(name));
        const ofNames = names.filter((name) => name.includes(' ')).join('\n');
        return { file, uses: `${text}\n${ofNames}`.match(word)?.length ?? 0 };
      })
      .filter(({ uses }) => uses > 0)
      .toSorted((a, b) => b.uses - a.uses);
  }

  it.each([
    ['whoever, nobody and somebody: name the role', unnamedRoles, limits.unnamedRoles],
    ['tell and hear: use the verb of the field', tellAndHear, limits.tellAndHear],
  ])('are few of %s', (advice, words, limit) => {
    const uses = usesOf(words);
    const sum = uses.reduce((all, one) => all + one.uses, 0);
    const topFiles = uses.slice(0, 25).map((one) => `${one.uses} ${one.file}`);
    const tooMany = sum > limit ? [`${advice}: ${sum} uses, at most ${limit}`, ...topFiles] : [];
    expect(tooMany).toEqual([]);
  });

  it('are found alone and within exported names', () => {
    expect(inWords('tellStates')).toBe('tell States');
    expect(inWords('HeardRefund_URLTold')).toBe('Heard Refund URL Told');
  });
});

/** Returns an identifier as separate words. */
const inWords = (name: string): string =>
  name
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replaceAll(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
