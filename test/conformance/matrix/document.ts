import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';
import { type Matrix, type Requirement, summaryOf } from './matrix.ts';

/** More tests than these are only counted. */
const mostTests = 3;
const mostTitleCharacters = 110;

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
  const parts = found
    .slice(0, mostTests)
    .map(({ file, title }) => `\`${file}\`: ${cell(title.slice(0, mostTitleCharacters))}`);
  if (found.length > mostTests) parts.push(`and ${found.length - mostTests} more`);
  const section = sections.get(id);
  if (section && duties.has(id)) parts.push(`[documented for merchants](merchants.md#${section.anchor})`);
  return parts.length === 0 ? 'missing' : parts.join('<br>');
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
