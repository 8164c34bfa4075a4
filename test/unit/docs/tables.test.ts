import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';

/** The longest cell that a reader can scan, in characters. Longer texts belong in lists or prose. */
const longest = 300;

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(projectRoot, 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** Returns the cells of the tables of a document, each with its line. Pipes in code are escaped in tables. */
function cellsOf(text: string): { line: number; cell: string }[] {
  return text
    .replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .flatMap((content, index) =>
      content.startsWith('|')
        ? content
            .split(/(?<!\\)\|/)
            .slice(1, -1)
            .map((cell) => ({ line: index + 1, cell: cell.trim() }))
        : [],
    );
}

it.each(documents)('no table cell of %s has more than 300 characters', (file) => {
  const long = cellsOf(readFileSync(join(projectRoot, file), 'utf8')).filter(
    ({ cell }) => cell.length > longest && !/^-+$/.test(cell),
  );
  expect(long.map(({ line, cell }) => `${file}:${line}: ${cell.length} characters`)).toEqual([]);
});

it('finds a long cell, and ignores code blocks, rulers and escaped pipes', () => {
  const long = 'x'.repeat(longest + 1);
  const text = `| a | b \\| c |\n| --- | --- |\n| ${long} | d |\n\`\`\`\n| ${long} |\n\`\`\`\n`;
  expect(cellsOf(text).filter(({ cell }) => cell.length > longest)).toEqual([{ line: 3, cell: long }]);
  expect(cellsOf(text)[1]).toEqual({ line: 1, cell: 'b \\| c' });
});
