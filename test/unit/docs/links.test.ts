import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Everything that the documents refer to exists: links, their anchors, and paths of the repository. */

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Directories that are not in a clone, or not ours. */
const left = ['node_modules', 'dist', 'dist-site', 'coverage', '.git', '.local', '.cache'];

/** Returns every file and directory of the repository, as paths from its root. */
function everythingBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true })
    .filter(({ name }) => !left.includes(name))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (!entry.isDirectory()) return [path];
      // A directory without a file is not in a clone.
      const below = everythingBelow(path);
      return below.length === 0 ? [] : [path, ...below];
    });
}

const all = everythingBelow('');
const documents = all.filter((path) => path.endsWith('.md')).toSorted();
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const fences = /^ {0,3}(`{3,})[^\n]*\n[\s\S]*?^ {0,3}\1`*[ \t]*$/gm;
const spans = /(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g;

/** Returns the anchors that GitHub gives a document's headings. */
function anchorsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of text.replaceAll(fences, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    const slug = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let again = 1; found.has(anchor); again += 1) anchor = `${slug}-${again}`;
    found.add(anchor);
  }
  return found;
}

/** Replaces text that is not prose by blanks, so that every line keeps its number. */
const blank = (piece: string): string => piece.replaceAll(/[^\n]/g, ' ');

/** Returns links and images without a target, each with its line. `file`: the document's own path. */
function deadLinks(text: string, file: string): string[] {
  const prose = text.replaceAll(fences, blank).replaceAll(spans, blank);
  const links = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g),
    ...prose.matchAll(/(?:src|srcset|href)="([^"]+)"/g),
  ];
  return links.flatMap(({ index, 1: target = '' }) => {
    if (leadsSomewhere(target, text, file)) return [];
    return [`${file}:${prose.slice(0, index).split('\n').length}: ${target}`];
  });
}

function leadsSomewhere(target: string, text: string, file: string): boolean {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return true;
  const [path = '', anchor] = target.split('#');
  const opened = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
  if (opened.startsWith('..') || !existsSync(join(root, opened))) return false;
  if (anchor === undefined || !opened.endsWith('.md')) return true;
  return anchorsOf(opened === file ? text : read(opened)).has(anchor);
}

/** Whether a path exists: every alternative of the shell's `{a,b}`, and at least one match of its `*`. */
function isThere(path: string): boolean {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(path);
  if (braces) {
    const [, before = '', choices = '', after = ''] = braces;
    return choices.split(',').every((choice) => isThere(before + choice + after));
  }
  if (!path.includes('*')) return existsSync(join(root, path));
  const parts = path
    .replace(/\/$/, '')
    .split('*')
    .map((part) => part.replaceAll(/[.+?^$()[\]\\|]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('[^/]*')}$`);
  return all.some((name) => pattern.test(name));
}

/** Returns paths of the repository, in code, that do not exist. */
function missingPaths(text: string): string[] {
  const code = [...text.matchAll(fences), ...text.replaceAll(fences, '').matchAll(spans)].map(
    ([piece]) => piece,
  );
  const path =
    /(?<=^|[\s`'"(=])(?:src|test|docs|scripts|simulators|local-stack|examples|bin|\.github|\.ci)\/[^\s`'"()|;:]*/gm;
  return code
    .flatMap((piece) => [...piece.matchAll(path)])
    .map(([found]) => found.replace(/[.,]$/, ''))
    .filter((found) => !/[<…$]/.test(found) && !isThere(found));
}

describe('the documents', () => {
  it('name only scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const unknown = [...documents, '.ci/run', '.github/workflows/ci.yml'].flatMap((file) =>
      [...read(file).matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !Object.hasOwn(scripts, name))
        .map((name) => `${file}: npm run ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('link only to existing targets, including anchors', () => {
    expect(documents.flatMap((file) => deadLinks(read(file), file))).toEqual([]);
  });

  it('name only paths that exist', () => {
    const missing = documents.flatMap((file) => missingPaths(read(file)).map((path) => `${file}: ${path}`));
    expect(missing).toEqual([]);
  });

  it('are all linked from the index, docs/README.md, or the index of the decisions', () => {
    const indexes = ['docs/README.md', 'docs/adr/README.md'];
    const linked = new Set(
      indexes.flatMap((index) =>
        [...read(index).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) =>
          relative('', normalize(join(dirname(index), target))),
        ),
      ),
    );
    const lost = documents.filter((file) => file.startsWith('docs/') && !linked.has(file));
    expect(lost.filter((file) => file !== 'docs/README.md')).toEqual([]);
  });

  it('name every kind of test in CONTRIBUTING.md', () => {
    const kinds = all.filter((path) => /^test\/[^/.]+$/.test(path));
    const map = read('CONTRIBUTING.md');
    expect(kinds.length).toBeGreaterThan(10);
    expect(kinds.filter((kind) => !map.includes(`\`${kind}/\``))).toEqual([]);
  });
});

describe('the check of a document', () => {
  it('finds a dead link, a dead anchor and a missing path, and accepts valid ones', () => {
    const text = [
      '## A heading, of two `parts`',
      '[good](../README.md) [dead](nowhere.md) ![dead](picture.png) <img src="gone.png"> [outside](../../elsewhere.md)',
      '[here](#a-heading-of-two-parts) [not here](#another) [out](https://example.com/x)',
      '`src/api/server.ts` `src/api/gone.ts` `src/domain/*.ts` `src/domain/*.py` `docs/{errors,gone}.md`',
      '```sh',
      'node examples/gone.mjs [no link](gone.md)',
      '```',
    ].join('\n');
    expect(deadLinks(text, 'docs/errors.md')).toEqual([
      'docs/errors.md:2: nowhere.md',
      'docs/errors.md:2: picture.png',
      'docs/errors.md:2: ../../elsewhere.md',
      'docs/errors.md:3: #another',
      'docs/errors.md:2: gone.png',
    ]);
    expect(missingPaths(text)).toEqual([
      'examples/gone.mjs',
      'src/api/gone.ts',
      'src/domain/*.py',
      'docs/{errors,gone}.md',
    ]);
  });
});
