import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const page = read('docs/operations.md').split('\n## Logs\n')[1]?.split('\n## ')[0] ?? '';
const code = readdirSync(join(projectRoot, 'src'), { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => read(join('src', name)))
  .join('\n');

/** The log lines in the operators' table. `Activity failed` is the Temporal SDK's. */
const lines = [...page.matchAll(/^\| (?:`\w+`|both) +\| ([^|]+)\|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
  .map(([, line = '']) => line)
  .filter((line) => line !== 'Activity failed');

it('docs/operations.md lists log lines', () => {
  expect(lines.length).toBeGreaterThan(15);
});

it.each(lines)('the code logs "%s", as docs/operations.md says', (line) => {
  expect(code.includes(`'${line}'`)).toBe(true);
});
