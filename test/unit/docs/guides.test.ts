import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeSamples } from '../../../src/api/docs/code-samples.ts';
import { operations } from '../../../src/api/docs/document.ts';
import { textOf } from '../../../src/api/docs/json.ts';
import { blockAt, blocksOf, languages, programsOf } from '../../guides/blocks.ts';
import { readGuides } from '../../guides/read-guides.ts';
import { failedLine } from '../../guides/run-program.ts';
import { samplesOf } from '../../guides/samples.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const folder = 'docs/guides';
const guides = readGuides();
const files = guides.map(({ file }) => file);
const read = (file: string): string => guides.find((guide) => guide.file === file)?.text ?? '';

describe('the guides', () => {
  it('are those that merchants rely on', () => {
    const names = [
      ...['card-capture', 'disputes', 'every-call', 'from-stripe', 'going-live', 'quickstart'],
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

describe('the samples of the reference', () => {
  const ids = operations.map(({ id }) => id);
  const stored = readFileSync(join(projectRoot, 'src/api/docs/assets/code-samples.json'), 'utf8');

  it('are blocks of the guides that run, as `npm run docs:samples` copies them', () => {
    const { samples, faults } = samplesOf(guides, ids);
    expect(faults).toEqual([]);
    expect(stored).toBe(`${JSON.stringify(samples, null, 2)}\n`);
  });

  it.each(operations)('are three for $id, each to the character a block marked run', (operation) => {
    const samples = codeSamples(operation);
    expect(samples.map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript', 'Python']);
    const fence = (language: string): string => `\`\`\`${language} run operation=${operation.id}\n`;
    for (const [index, language] of languages.entries()) {
      const block = `${fence(language)}${textOf(samples[index]?.['source'])}\n\`\`\`\n`;
      expect(guides.filter(({ text }) => text.includes(block))).toHaveLength(1);
    }
  });

  const shown = (language: string, mark = 'run operation=createPayment'): string =>
    `\`\`\`${language} ${mark}\nx\n\`\`\`\n`;
  const whole = `${shown('sh')}${shown('ts')}${shown('python')}`;
  it.each([
    ['nothing', whole, []],
    ['a missing block', `${shown('sh')}${shown('ts')}`, ['a.md:1: no block shows createPayment in python']],
    ['a second block', `${whole}${shown('ts')}`, ['a.md:10: a second block shows createPayment in ts']],
    [
      'an unknown operation',
      `${whole}${shown('ts', 'run operation=createPayments')}`,
      ['a.md:10: the document has no operation "createPayments"'],
    ],
    [
      'a mark that is not known',
      `${whole}${shown('ts', 'operation=pay')}`,
      ['a.md:10: the mark "operation=pay" is not known: run, or run operation=ID'],
    ],
  ])('are refused for %s with file and line', (_fault, text, faults) => {
    expect(samplesOf([{ file: 'a.md', text }], ['createPayment']).faults).toEqual(faults);
  });
});
