import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../../support/harness/project-root.ts';
import { proofsOf } from './proofs.ts';
import { type Section, sectionsOf } from './sections.ts';

/** The guide that documents the merchants' duties. */
export const merchantGuide = 'docs/merchants.md';

const requirementSchema = z.array(z.object({ id: z.string(), text: z.string() }));
export type Requirement = z.infer<typeof requirementSchema>[number];

/** A test that proves a requirement. */
export interface Test {
  file: string;
  title: string;
}

/** The tests that prove each requirement, and the sections that document each duty of the merchant. */
export interface Matrix {
  requirements: Requirement[];
  /** By requirement. */
  tests: Map<string, Test[]>;
  sections: Map<string, Section>;
  /** Merchant duties and free choices, for which a section that documents them is proof enough. */
  duties: Set<string>;
  /** The faults of the matrix, one line each. */
  problems: string[];
}

/** Reads the requirements, every test's proofs and the merchants' guide. */
export function readMatrix(): Matrix {
  const requirements = requirementSchema.parse(readJson('test/conformance/requirements.json'));
  const matrix: Matrix = {
    requirements,
    tests: new Map(),
    sections: new Map(),
    duties: new Set(z.array(z.string()).parse(readJson('test/conformance/merchant-duties.json'))),
    problems: [],
  };
  const known = new Set(requirements.map(({ id }) => id));
  addTests(matrix, known);
  addSections(matrix, known);
  for (const id of matrix.duties) {
    if (!known.has(id)) matrix.problems.push(`${id} is listed as a duty, but is no requirement`);
  }
  for (const { id, text } of requirements) {
    if (!isProved(matrix, id)) matrix.problems.push(`${id} has no test: ${text.slice(0, 90)}`);
  }
  return matrix;
}

export function isProved({ tests, duties, sections }: Matrix, id: string): boolean {
  return tests.has(id) || (duties.has(id) && sections.has(id));
}

/** Returns the share of proved items, one line for requirements and one for readings. */
export function summaryOf(matrix: Matrix): string[] {
  const isReading = ({ id }: Requirement): boolean => id.startsWith('AMB-');
  const count = (list: Requirement[]): string =>
    `${list.filter(({ id }) => isProved(matrix, id)).length} of ${list.length}`;
  const readings = matrix.requirements.filter(isReading);
  const requirements = matrix.requirements.filter((each) => !isReading(each));
  return [
    `${count(requirements)} requirements have a test or, for duties of the merchant and free choices, ` +
      `a section of ${merchantGuide}`,
    `${count(readings)} recommended readings have a test`,
  ];
}

function addTests({ tests, problems }: Matrix, known: Set<string>): void {
  for (const path of testFiles()) {
    const file = relative(projectRoot, path);
    for (const { title, ids } of proofsOf(readFileSync(path, 'utf8'))) {
      if (ids.length === 0) problems.push(`${file}: "${title}" proves no requirement`);
      for (const id of ids) {
        if (!known.has(id)) problems.push(`${file}: "${title}" names ${id}, which is no requirement`);
        tests.set(id, [...(tests.get(id) ?? []), { file, title }]);
      }
    }
  }
}

function addSections({ sections, duties, problems }: Matrix, known: Set<string>): void {
  for (const section of sectionsOf(readFileSync(join(projectRoot, merchantGuide), 'utf8'))) {
    for (const id of section.ids) {
      if (!known.has(id)) {
        problems.push(`${merchantGuide}: "${section.heading}" names ${id}, which is no requirement`);
      } else if (!duties.has(id)) {
        problems.push(`${merchantGuide}: ${id} is no merchant duty and no free choice: it needs a test`);
      }
      sections.set(id, section);
    }
  }
}

/** Sorted, so that the document is the same on every machine. */
function testFiles(): string[] {
  return readdirSync(join(projectRoot, 'test'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(projectRoot, path), 'utf8'));
}
