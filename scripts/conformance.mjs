/**
 * `npm run conformance`: which test proves which requirement. Writes `docs/conformance.md`; exit 1 when a requirement
 * has neither a test, nor (merchant duties and free choices only) a section that tells the merchant, nor a place in the
 * list of what is open, or when a test, a section or that list names a requirement that does not exist.
 * `--check` writes nothing, and also fails when the file is not what would be written.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, proofsOf, sectionsOf } from './lib/conformance.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const merchantGuide = 'docs/merchants.md';
const matrix = join(root, 'docs/conformance.md');
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

const requirements = readJson('test/conformance/requirements.json');
const open = readJson('test/conformance/open.json');
const duties = new Set(readJson('test/conformance/merchant-duties.json'));
const known = new Set(requirements.map(({ id }) => id));
const problems = [];

/** id → where it is proved. */
const tests = new Map();
for (const path of filesBelow(join(root, 'test'), /\.test\.tsx?$/)) {
  const file = relative(root, path);
  for (const { title, ids } of proofsOf(readFileSync(path, 'utf8'))) {
    if (ids.length === 0) problems.push(`${file}: "${title}" proves no requirement`);
    for (const id of ids) {
      if (!known.has(id)) problems.push(`${file}: "${title}" names ${id}, which is no requirement`);
      tests.set(id, [...(tests.get(id) ?? []), { file, title }]);
    }
  }
}

const sections = new Map();
for (const { heading, ids, anchor } of sectionsOf(join(root, merchantGuide))) {
  for (const id of ids) {
    if (!known.has(id)) problems.push(`${merchantGuide}: "${heading}" names ${id}, which is no requirement`);
    if (known.has(id) && !duties.has(id))
      problems.push(`${merchantGuide}: ${id} is no merchant duty and no free choice: it needs a test`);
    sections.set(id, { heading, anchor });
  }
}

const openIn = new Map(open.flatMap(({ feature, ids }) => ids.map((id) => [id, feature])));
for (const id of [...openIn.keys(), ...duties]) {
  if (!known.has(id)) problems.push(`${id} is listed, but is no requirement`);
}

const stateOf = ({ id }) => {
  if (tests.has(id)) return 'tested';
  if (duties.has(id) && sections.has(id)) return 'told';
  return openIn.has(id) ? 'open' : 'missing';
};
for (const each of requirements) {
  if (stateOf(each) === 'missing') problems.push(`${each.id} has no test: ${each.text.slice(0, 90)}`);
}

if (!process.argv.includes('--check')) writeFileSync(matrix, document());
else if (!existsSync(matrix) || readFileSync(matrix, 'utf8') !== document())
  problems.push('docs/conformance.md is not what the tests say: run `npm run conformance` and commit it');
for (const line of summary()) console.log(line);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

function summary() {
  const isReading = ({ id }) => id.startsWith('AMB-');
  const count = (list) => {
    const proved = list.filter((each) => ['tested', 'told'].includes(stateOf(each))).length;
    return `${proved} of ${list.length}`;
  };
  const lines = [
    `${count(requirements.filter((each) => !isReading(each)))} requirements have a test or, for duties of the merchant and free choices, a section of ${merchantGuide}`,
    `${count(requirements.filter(isReading))} recommended readings have a test`,
  ];
  for (const { feature, ids } of open) {
    const left = ids.filter((id) => !tests.has(id) && !sections.has(id));
    if (left.length > 0) lines.push(`open, ${feature}: ${left.join(', ')}`);
  }
  return lines;
}

function document() {
  const measured = join(root, 'test/conformance/fuzz-figures.md');
  const rows = requirements.map((each) => `| ${each.id} | ${cell(each.text)} | ${proof(each)} |`);
  return `# Conformance

Which test proves which requirement. Written by \`npm run conformance\`; do not edit. Ids and texts:
\`test/conformance/requirements.json\`; a test carries the ids it proves in its title.

${summary()
  .map((line) => `- ${line}`)
  .join('\n')}

${readFileSync(measured, 'utf8').trim()}

## Matrix

| id | requirement or question | proof |
|---|---|---|
${rows.join('\n')}
`;
}

function proof(each) {
  const { id } = each;
  const parts = [];
  const found = tests.get(id) ?? [];
  for (const { file, title } of found.slice(0, 3)) parts.push(`\`${file}\`: ${cell(title.slice(0, 110))}`);
  if (found.length > 3) parts.push(`and ${found.length - 3} more`);
  const told = sections.get(id);
  if (told && duties.has(id)) parts.push(`[told to the merchant](merchants.md#${told.anchor})`);
  if (parts.length === 0) parts.push(openIn.has(id) ? `open: ${openIn.get(id)}` : 'missing');
  return parts.join('<br>');
}

function cell(text) {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
