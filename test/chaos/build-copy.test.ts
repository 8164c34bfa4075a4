import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/harness/project-root.ts';
import { changedWorkflows, withOneLineMore } from './build-copy.ts';

it.each(changedWorkflows)('the other build has one command more in %s', (file) => {
  const source = readFileSync(join(projectRoot, 'dist', file), 'utf8');
  expect(withOneLineMore(source).match(/addedToMemo\(/g)).toHaveLength(1);
});

it('refuses a source that is no workflow', () => {
  expect(() => withOneLineMore('export const nothing = 1;')).toThrow('begins in 0 places');
});
