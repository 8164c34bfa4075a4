import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';
import { documentOf } from './document.ts';
import { idsOf } from './ids.ts';
import { readMatrix, summaryOf } from './matrix.ts';
import { proofsOf } from './proofs.ts';
import { sectionsOf } from './sections.ts';

describe('the conformance matrix', () => {
  it('has a proof for every requirement and no other, and equals docs/conformance.md', () => {
    const matrix = readMatrix();
    expect(matrix.problems).toEqual([]);
    expect(summaryOf(matrix).map((line) => /^\d+ of \d+/.exec(line)?.[0])).toEqual([
      '410 of 410',
      '65 of 65',
    ]);
    const written = readFileSync(join(projectRoot, 'docs', 'conformance.md'), 'utf8');
    // When they differ, run `npm run docs:conformance` and commit the result.
    expect(written).toBe(documentOf(matrix));
  });

  it('expands lists and ranges of ids', () => {
    expect(idsOf('PAY-02')).toEqual(['PAY-02']);
    expect(idsOf('CLOSE-02 to -04, HOOK-07')).toEqual(['CLOSE-02', 'CLOSE-03', 'CLOSE-04', 'HOOK-07']);
    expect(idsOf('RECOVER-01 to RECOVER-03')).toEqual(['RECOVER-01', 'RECOVER-02', 'RECOVER-03']);
    expect(idsOf('refuses PAY-02')).toEqual([]);
    expect(idsOf('HTML (EP-02)')).toEqual([]);
  });

  it('counts only proofs of tests that run, in calls and in table rows', () => {
    const source = `
      // it(proves('a comment', 'PAY-01'), () => {});
      it.skip(proves('skipped', 'PAY-02'), () => {});
      it.todo(proves('promised', 'PAY-03'));
      it(proves('a test', 'PAY-04', 'PAY-07 to -09'), () => {});
      it.each([[proves('a row', 'PAY-05'), 1]])('%s', () => {});
      it.each(rows)(proves(\`\${'a template'}\`, 'PAY-06'), () => {});
      it('PAY-10: a title', () => {});
    `;
    expect(proofsOf(source).flatMap(({ ids }) => ids)).toEqual([
      'PAY-04',
      'PAY-07',
      'PAY-08',
      'PAY-09',
      'PAY-05',
      'PAY-06',
    ]);
  });

  it('finds the sections of a guide that name duties, with their anchors', () => {
    expect(sectionsOf('# Title (A-01)\n## Polling: how (POLL-01, -02)\ntext\n### Plain\n')).toEqual([
      {
        heading: 'Polling: how (POLL-01, -02)',
        ids: ['POLL-01', 'POLL-02'],
        anchor: 'polling-how-poll-01--02',
      },
    ]);
  });
});
