import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { idsOf, titlesOf } from '../../scripts/lib/conformance.mjs';

describe('the conformance matrix', () => {
  it('has a proof for every requirement, names none that does not exist, and docs/conformance.md says the same', () => {
    const script = join(import.meta.dirname, '../../scripts/conformance.mjs');
    const summary = execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect(summary).toMatch(/^\d+ of 410 requirements/);
  });

  it('reads ids from titles as they are written', () => {
    expect(idsOf('PAY-02: x')).toEqual(['PAY-02']);
    expect(idsOf('CLOSE-02 to -04, HOOK-07: x')).toEqual(['CLOSE-02', 'CLOSE-03', 'CLOSE-04', 'HOOK-07']);
    expect(idsOf('RECOVER-01 to RECOVER-03: x')).toEqual(['RECOVER-01', 'RECOVER-02', 'RECOVER-03']);
    expect(idsOf('refuses PAY-02: x')).toEqual([]);
    expect(idsOf('HTML (EP-02)')).toEqual([]);
  });

  it('counts titles of tests that run, in calls and in rows, and nothing else', () => {
    const source = `
      // it('PAY-01: a comment', () => {});
      it.skip('PAY-02: skipped', () => {});
      it.todo('PAY-03: promised');
      it('PAY-04: a test', () => {});
      it.each([['PAY-05: a row', 1]])('%s', () => {});
      it.each(rows)(\`PAY-06: \${'a template'}\`, () => {});
    `;
    expect(titlesOf(source).flatMap((title) => idsOf(title))).toEqual(['PAY-04', 'PAY-05', 'PAY-06']);
  });
});
