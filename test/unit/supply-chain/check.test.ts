import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeComponents } from '../../../scripts/lib/components.mjs';
import { auditVerdict, foreignLicences } from '../../../scripts/lib/supply-chain.mjs';
import { projectRoot } from '../../support/harness/project-root.ts';

it('production uses packages under allowed licences only', () => {
  const directory = mkdtempSync(join(tmpdir(), 'components-'));
  writeComponents(projectRoot, directory);
  const byLicence = JSON.parse(readFileSync(join(directory, 'licences.json'), 'utf8')) as Record<
    string,
    string[]
  >;
  rmSync(directory, { recursive: true });
  expect(Object.values(byLicence).flat().length).toBeGreaterThan(100);
  expect(foreignLicences(byLicence)).toEqual([]);
});

it('names a licence that is not allowed, also within an expression', () => {
  const found = foreignLicences({
    MIT: ['a@1'],
    'GPL-3.0-only': ['b@1'],
    '(MIT OR GPL-3.0-only)': ['c@1'],
    'MIT AND GPL-3.0-only': ['d@1'],
    'not declared': ['e@1'],
  });
  expect(found).toEqual(['b@1 (GPL-3.0-only)', 'd@1 (MIT AND GPL-3.0-only)', 'e@1 (not declared)']);
});

it.each([
  ['', 'npm audit answered no JSON'],
  ['{"message":"request failed","error":{"summary":"","code":"ENOAUDIT"}}', 'request failed'],
  ['{"error":{"code":"ECONNREFUSED"}}', 'ECONNREFUSED'],
])('reports that the registry could not be reached: %j', (output, why) => {
  expect(auditVerdict(output)).toEqual({ asked: false, why });
});

it('names packages with grave vulnerabilities', () => {
  const output = JSON.stringify({
    vulnerabilities: { one: { severity: 'high' }, two: { severity: 'low' } },
    metadata: { vulnerabilities: { low: 1, high: 1 } },
  });
  expect(auditVerdict(output)).toEqual({
    asked: true,
    levels: { low: 1, high: 1 },
    packages: ['one (high)'],
  });
});
