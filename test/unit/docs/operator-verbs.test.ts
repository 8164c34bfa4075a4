import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { verbs } from '../../../src/cli/texts.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const manual = readFileSync(join(projectRoot, 'docs', 'operations.md'), 'utf8');
/** Returns a noun's verbs in the table and in the lines with flags: `payment show|why --payment ID`. */
const inTable = (noun: string): string =>
  manual
    .split('\n')
    .filter((line) => line.startsWith(`| \`${noun}\` `))
    .join('\n');
const lines = manual.split('\n').map((line) => /^(\S+) (\S+)/.exec(line)?.slice(1) ?? []);

it.each(Object.keys(verbs))('the manual names %s', (name) => {
  const [noun = '', verb] = name.split(' ');
  // `doctor` is a command without a verb.
  const inRow = verb === undefined ? /./ : new RegExp(`[\`|]${verb}[\`\\\\|]`);
  expect(inTable(noun)).toMatch(inRow);
  expect(
    lines.some(
      ([first, second = '']) => first === noun && (verb === undefined || second.split('|').includes(verb)),
    ),
  ).toBe(true);
});

/** Every `admin …` that a document shows as code, with the document. */
const shown = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('adr'))
  .flatMap((name) =>
    [
      ...readFileSync(join(projectRoot, 'docs', name), 'utf8').matchAll(
        /[`\n] *admin ([a-z]+)(?: ([a-z]+))?/g,
      ),
    ].map(([, noun = '', verb = '']) => [`${noun} ${verb}`.trim(), noun, name]),
  );

it('the documents show only commands that exist', () => {
  expect(shown.length).toBeGreaterThan(50);
  const unknown = shown.filter(([command = '', noun = '']) => !(command in verbs) && !(noun in verbs));
  expect(unknown).toEqual([]);
});
