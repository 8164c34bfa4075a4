import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');

/** Rows of the two standards: the requirement, the implementation, and its evidence. */
const rows = [...page.matchAll(/^\| (V\d+ [^|]*|\d+\.\d[^|]*)\|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, asked = '', here = '', shown = '']) => ({ asked: asked.trim(), here, shown: shown.trim() }),
);

/** Returns the tests that a row names, as paths from the root; a folder stands for its files. */
const testsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w./-]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('src/'))
    .map((name) => `test/${name.replace(/^test\//, '')}`);

const holdsTests = (path: string): boolean =>
  existsSync(join(root, path)) &&
  (statSync(join(root, path)).isFile()
    ? /\.test\.tsx?$/.test(path)
    : readdirSync(join(root, path), { recursive: true }).some((name) => /\.test\.tsx?$/.test(String(name))) ||
      path === 'test/chaos/');

it('each row of the two standards names existing tests, or is not applicable', () => {
  expect(rows.filter(({ asked }) => asked.startsWith('V')).map(({ asked }) => asked.split(' ')[0])).toEqual(
    Array.from({ length: 17 }, (_, at) => `V${at + 1}`),
  );
  expect(rows.length).toBeGreaterThan(25);
  const unshown = rows.filter(
    ({ shown }) =>
      shown !== 'not applicable' && (testsIn(shown).length === 0 || !testsIn(shown).every(holdsTests)),
  );
  expect(unshown).toEqual([]);
});

it('every test that the page names exists', () => {
  const named = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((path) => !holdsTests(path))).toEqual([]);
});
