import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Document, brunoFiles } from '../../../scripts/lib/bruno-files.mjs';
import { openApiDocument, operations } from '../../../src/api/docs/document.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const folder = join(projectRoot, 'examples', 'bruno');

it('the collection for Bruno is what `npm run docs:bruno` writes, with every operation', () => {
  const files = brunoFiles(JSON.parse(JSON.stringify(openApiDocument('https://pay.example'))) as Document);
  const stored = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => name !== 'README.md');
  expect(stored.toSorted()).toEqual(Object.keys(files).toSorted());
  for (const name of stored)
    expect([name, readFileSync(join(folder, name), 'utf8')]).toEqual([name, files[name]]);
  const requests = new Set(stored.map((name) => basename(name, '.bru')));
  expect(operations.filter(({ id }) => !requests.has(id)).map(({ id }) => id)).toEqual([]);
});
