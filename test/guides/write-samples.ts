/**
 * `npm run docs:samples`: writes the samples of the reference from the blocks of `docs/guides` that are
 * marked `run operation=ID`. Exit code 1, and nothing written, when an operation lacks a sample or has two,
 * or a mark is not known.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../src/api/docs/document.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { readGuides } from './read-guides.ts';
import { samplesOf } from './samples.ts';

const { samples, faults } = samplesOf(
  readGuides(),
  operations.map(({ id }) => id),
);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else {
  const file = join(projectRoot, 'src', 'api', 'docs', 'assets', 'code-samples.json');
  writeFileSync(file, `${JSON.stringify(samples, null, 2)}\n`);
}
