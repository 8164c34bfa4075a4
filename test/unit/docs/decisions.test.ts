import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';

const folder = join(projectRoot, 'docs/adr');
const files = readdirSync(folder).filter((name) => name !== 'README.md');
const index = readFileSync(join(folder, 'README.md'), 'utf8');
const articles = new Set(['a', 'an', 'the']);

/** Returns the words of a title or file name in lower case, without articles. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !articles.has(word));

const titleOf = (file: string): string =>
  /^# (.*)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? '';

it.each(files)('%s is named by its number and its whole title, in lower case with dashes', (file) => {
  expect(file).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/);
  expect(wordsOf(file.replace(/\.md$/, ''))).toEqual(wordsOf(titleOf(file)));
});

it('each number is used once', () => {
  const numbers = files.map((file) => file.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});

it('the index links every decision under its whole title', () => {
  const linked = [...index.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, file]) => [file, title]);
  expect(linked).toEqual(files.toSorted().map((file) => [file, titleOf(file)]));
});

it('the index maps each former file name to a number that exists and to no file that exists', () => {
  const former = [...index.matchAll(/^\| (\d{4}) +\|.*\| `([^`]+)` +\|$/gm)];
  expect(former.length).toBeGreaterThan(25);
  for (const [, number = '', file = ''] of former) {
    expect(files.filter((name) => name.startsWith(number))).toHaveLength(1);
    expect(files).not.toContain(file);
  }
});

it('every decision has a status, a date, and the three sections', () => {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    expect([file, ...text.matchAll(/^## (?:Context|Decision|Consequences)$/gm)]).toHaveLength(4);
    expect([file, /^- Status: \S/m.test(text), /^- Date: \d{4}-\d{2}-\d{2}/m.test(text)]).toEqual([
      file,
      true,
      true,
    ]);
  }
});
