import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';

const dist = join(projectRoot, 'dist');

/** Compiled modules, by their path below dist/. */
const compiled = readdirSync(dist, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
  .filter((path) => path !== join('src', 'workflow-bundle.js'));

it('a build holds nothing but what it is made anew for: an import from elsewhere would go stale unseen', () => {
  const { include } = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.build.json'), 'utf8')) as {
    include: string[];
  };
  const folders = [...include.map((pattern) => pattern.replace(/\*\*.*$/, '')), 'scripts/lib/'];
  expect(compiled.length).toBeGreaterThan(100);
  expect(compiled.filter((path) => !folders.some((folder) => path.startsWith(folder)))).toEqual([]);
});

it('a build holds no test', () => {
  expect(compiled.filter((path) => path.endsWith('.test.js'))).toEqual([]);
});
