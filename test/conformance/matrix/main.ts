/**
 * `npm run docs:conformance`: writes the matrix of tests and requirements to `docs/conformance.md`. Exit code
 * 1 when a requirement has neither a test nor, for merchant duties and free choices only, a section of the
 * merchants' guide, or when a test or a section names an unknown requirement. `--check` writes nothing, and
 * also fails when the file differs from what would be written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../../support/harness/flags.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { documentOf } from './document.ts';
import { readMatrix, summaryOf } from './matrix.ts';

const values = readFlags({
  name: 'docs:conformance',
  does: 'Writes docs/conformance.md: which test proves which requirement.',
  flags: { check: { means: 'write nothing, and fail when the file is not what would be written' } },
});
const path = join(projectRoot, 'docs', 'conformance.md');

const matrix = readMatrix();
const problems = [...matrix.problems];
if (!values.check) writeFileSync(path, documentOf(matrix));
else if (readFileSync(path, 'utf8') !== documentOf(matrix)) {
  problems.push(
    'docs/conformance.md is not what the tests say: run `npm run docs:conformance` and commit it',
  );
}
for (const line of summaryOf(matrix)) console.log(line);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
