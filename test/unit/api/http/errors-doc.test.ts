import { readFileSync } from 'node:fs';
import { isRefusalCode, refusals } from '../../../../src/domain/refusals.ts';

const text = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  it.each(Object.keys(refusals))('tells of %s', (code) => {
    expect(text).toContain(`\`${code}\``);
  });

  it('gives each code of its table the status the service answers it with, and invents none', () => {
    const rows = [...text.matchAll(/^\| (\d{3}) `([a-z_]+)`/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(17);
    for (const [, status, code = ''] of rows) {
      expect([code, isRefusalCode(code) ? refusals[code].status : null]).toEqual([code, Number(status)]);
    }
  });
});
