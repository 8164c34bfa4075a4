import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutants as simulatedMutants } from '../deterministic/mutants.ts';
import { decisionMutants } from '../simulation/mutants.ts';
import { assertMutantsApply, editsOf, mutate } from '../support/harness/mutant.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { serviceMutants } from './mutants.ts';

const mutant = { name: 'x', file: 'file.js', find: 'a', replace: 'd' };

it('every mutant of the decisions matches its source text exactly once', () => {
  expect(() => assertMutantsApply(decisionMutants, projectRoot)).not.toThrow();
});

it('every mutant of the service matches its text in the build exactly once', () => {
  const ofBuild = simulatedMutants.filter(({ file }) => file.endsWith('.js'));
  expect(ofBuild).toEqual(expect.arrayContaining([...serviceMutants]));
  expect(() => assertMutantsApply(ofBuild, join(projectRoot, 'dist'))).not.toThrow();
});

it('mutants have unique names', () => {
  const names = simulatedMutants.map(({ name }) => name);
  expect(names).toHaveLength(new Set(names).size);
});

it('a mutant whose text is missing or ambiguous fails with an error that names it', () => {
  expect(mutate('abc', mutant)).toBe('dbc');
  expect(() => mutate('b', mutant)).toThrow('mutant "x": its text is in file.js 0 times instead of once');
  expect(() => mutate('a a', mutant)).toThrow('mutant "x": its text is in file.js 2 times instead of once');
});

it('a mutant may remove other guards too, and each of its edits must apply', () => {
  const other = { file: 'other.js', find: 'b', replace: 'e' };
  const double = { ...mutant, also: [other] };
  expect(editsOf(double)).toEqual([mutant, { name: 'x', ...other }]);
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-mutants-'));
  try {
    writeFileSync(join(directory, 'file.js'), 'a');
    expect(() => assertMutantsApply([double], directory)).toThrow('mutant "x": there is no other.js');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('one error names all mutants that do not apply, also those whose file is missing', () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-mutants-'));
  try {
    writeFileSync(join(directory, 'file.js'), 'b');
    const gone = { ...mutant, name: 'y', file: 'gone.js' };
    expect(() => assertMutantsApply([mutant, gone], directory)).toThrow(/mutant "x".*\nmutant "y".*gone\.js/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
