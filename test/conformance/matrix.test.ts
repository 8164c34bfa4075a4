import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { idsOf, proofsOf } from '../../scripts/lib/conformance.mjs';

describe('the conformance matrix', () => {
  it('has a proof for every requirement, names none that does not exist, and docs/conformance.md says the same', () => {
    const script = join(import.meta.dirname, '../../scripts/conformance.mjs');
    const summary = execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect(summary).toMatch(/^\d+ of 410 requirements/);
  });

  it('reads lists of ids as they are written', () => {
    expect(idsOf('PAY-02')).toEqual(['PAY-02']);
    expect(idsOf('CLOSE-02 to -04, HOOK-07')).toEqual(['CLOSE-02', 'CLOSE-03', 'CLOSE-04', 'HOOK-07']);
    expect(idsOf('RECOVER-01 to RECOVER-03')).toEqual(['RECOVER-01', 'RECOVER-02', 'RECOVER-03']);
    expect(idsOf('refuses PAY-02')).toEqual([]);
    expect(idsOf('HTML (EP-02)')).toEqual([]);
  });

  it('counts what tests that run prove, in calls and in rows, and nothing else', () => {
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
});
