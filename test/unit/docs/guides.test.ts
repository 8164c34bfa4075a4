import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { blockAt, blocksOf, languages, programsOf } from '../../guides/blocks.ts';
import { failedLine } from '../../guides/run-program.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const folder = 'docs/guides';
const files = readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`);
const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

describe('the guides', () => {
  it('are those that merchants rely on', () => {
    const names = [
      ...['card-capture', 'disputes', 'from-stripe', 'going-live', 'quickstart'],
      ...['recovery', 'refunds', 'testing', 'webhooks'],
    ];
    expect(files.toSorted()).toEqual(names.map((name) => `${folder}/${name}.md`));
  });

  it('have at least 80 % of their blocks run', () => {
    const blocks = files.flatMap((file) => blocksOf(read(file)));
    expect(blocks.length).toBeGreaterThan(100);
    expect(blocks.filter(({ runs }) => runs).length / blocks.length).toBeGreaterThanOrEqual(0.8);
  });

  it.each(files)('%s has a program in each language', (file) => {
    const programs = programsOf(file, read(file));
    expect(programs.map(({ language }) => language)).toEqual([...languages]);
    expect(Math.min(...programs.map(({ blocks }) => blocks.length))).toBeGreaterThanOrEqual(3);
  });

  it.each(files)('every step of %s that runs in TypeScript runs in shell and Python too', (file) => {
    const steps = read(file).split(/^## /m);
    const missing = steps.flatMap((step) => {
      const run = blocksOf(step).filter(({ runs }) => runs);
      const has = (language: string): boolean => run.some((block) => block.language === language);
      return has('ts') && !(has('sh') && has('python')) ? [step.split('\n')[0]] : [];
    });
    expect(missing).toEqual([]);
  });
});

describe('the blocks of a guide', () => {
  const text = [
    '# A',
    '```sh run',
    'one',
    '```',
    '```json',
    '{}',
    '```',
    '```ts',
    'x',
    '```',
    '```sh run',
  ].join('\n');
  const blocks = blocksOf(`${text}\ntwo\n\`\`\`\n`);

  it('are of the three languages, with their marks and lines', () => {
    expect(blocks.map(({ language, runs, line }) => [language, runs, line])).toEqual([
      ['sh', true, 3],
      ['ts', false, 9],
      ['sh', true, 12],
    ]);
  });

  it('make one program of a language, in which every line has its number in the guide', () => {
    const [program, ...others] = programsOf('docs/guides/a.md', `${text}\ntwo\n\`\`\`\n`);
    expect(others).toEqual([]);
    expect(program?.source.split('\n')[2]).toBe('one');
    expect(program?.source.split('\n')[11]).toBe('two');
  });

  it.each([
    ['sh', 'docs/guides/a.md:3\ndocs/guides/a.md:12\n', 12],
    ['ts', 'Error: no\n at docs/guides/a.md:12:5\n at docs/guides/a.md:3:1\n', 12],
    ['python', '  File "docs/guides/a.md", line 3, in f\n  File "docs/guides/a.md", line 12, in g\n', 12],
    ['ts', 'nothing of it', null],
  ] as const)('are found by the place that an error in %s names', (language, output, line) => {
    const program = { file: 'docs/guides/a.md', language, blocks, source: '' };
    expect(failedLine(program, output)).toBe(line);
    expect(blockAt(blocks, line ?? 1)).toBe(line === null ? null : 2);
  });
});
