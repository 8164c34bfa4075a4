import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';
import { type Matrix, type Requirement, summaryOf } from './matrix.ts';

/** The most tests that are listed by title; further ones are only counted. */
const maxTests = 3;
const maxTitleCharacters = 110;
/** A longer proof cannot be read in a table. */
const maxProofCharacters = 300;

/** Returns the text of docs/conformance.md. */
export function documentOf(matrix: Matrix): string {
  const figures = readFileSync(join(projectRoot, 'test', 'conformance', 'fuzz-figures.md'), 'utf8').trim();
  const rows = matrix.requirements.map(
    (each) => `| ${each.id} | ${cell(each.text)} | ${proofOf(matrix, each)} |`,
  );
  return `# Conformance

Which test proves which requirement. Written by \`npm run docs:conformance\`; do not edit. Ids and texts:
\`test/conformance/requirements.json\`; a test names the ids it proves beside its title
(\`test/support/proves.ts\`).

${summaryOf(matrix)
  .map((line) => `- ${line}`)
  .join('\n')}

${figures}

## Matrix

| id | requirement or question | proof |
|---|---|---|
${rows.join('\n')}
`;
}

function proofOf({ tests, sections, duties }: Matrix, { id }: Requirement): string {
  const found = tests.get(id) ?? [];
  const section = sections.get(id);
  const duty =
    section && duties.has(id) ? [`[documented for merchants](merchants.md#${section.anchor})`] : [];
  for (let shown = Math.min(found.length, maxTests); ; shown -= 1) {
    const named = found
      .slice(0, shown)
      .map(({ file, title }) => `\`${file}\`: ${cell(title.slice(0, maxTitleCharacters))}`);
    const others = found.length > shown ? [`and ${found.length - shown} more`] : [];
    const proof = [...named, ...others, ...duty].join('<br>') || 'missing';
    if (proof.length <= maxProofCharacters || shown <= 1) return proof;
  }
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
