import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedPictures } from '../../e2e/dashboard/docs/documented-pictures.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

it('docs/dashboard.md shows every picture that is taken for it, each once, and no other', () => {
  const text = readFileSync(join(projectRoot, 'docs', 'dashboard.md'), 'utf8');
  const shown = [...text.matchAll(/!\[[^\]]+\]\(dashboard\/([\w-]+)\.png\)/g)].map(([, name = '']) => name);
  expect(shown.toSorted()).toEqual(documentedPictures.toSorted());
});
