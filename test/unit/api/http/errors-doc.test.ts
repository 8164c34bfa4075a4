import { readFileSync } from 'node:fs';
import { recoveries, recoveryOf } from '../../../../src/domain/recovery.ts';
import { isRefusalCode, refusals } from '../../../../src/domain/refusals.ts';

const text = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  it.each(Object.keys(refusals))('documents %s', (code) => {
    expect(text).toContain(`\`${code}\``);
  });

  it("documents the next step after each code, by the word in the service's answer", () => {
    const section = text.split('## What to do next')[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| `([a-z_]+)` .*\|(.*)\|$/gm)];
    expect(rows.map(([, word]) => word)).toEqual(recoveries);
    for (const [, word, codes = ''] of rows) {
      for (const [, code = ''] of codes.matchAll(/`([a-z_]+)`/g)) {
        expect([code, isRefusalCode(code) && recoveryOf(code, 'other')]).toEqual([code, word]);
      }
    }
  });

  it('gives each code of its table the status of the service, and lists no other code', () => {
    const rows = [...text.matchAll(/^\| (\d{3}) `([a-z_]+)`/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(17);
    for (const [, status, code = ''] of rows) {
      expect([code, isRefusalCode(code) ? refusals[code].status : null]).toEqual([code, Number(status)]);
    }
  });
});
