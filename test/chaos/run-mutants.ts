import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertMutantsApply, mutate } from '../support/harness/mutant.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { type BuildCopy, bundleWorkflows, copyBuild } from './build-copy.ts';
import { type ServiceMutant, serviceMutants } from './mutants.ts';
import { forcedFreezeMs } from './change-plan.ts';
import { runSchedules } from './run-schedules.ts';
import type { Violation } from './violation.ts';

const firstSeed = 9_000;
const maxSchedules = 8;

/** The result of a mutant: what caught it, undefined when it was not caught, and in which schedule. */
export interface MutantResult {
  name: string;
  violation: Violation | undefined;
  schedules: number;
}

export interface MutantOptions {
  keepIn: string;
  logLine: (line: string) => void;
  /** The name of the only mutant to run. */
  only?: string | undefined;
}

/** Throws unless every mutant still has its place in the build. */
export function assertServiceMutantsApply(): void {
  assertMutantsApply(serviceMutants, join(projectRoot, 'dist'));
}

/** Runs schedules on each mutant of the build until one catches it. */
export async function runServiceMutants({ keepIn, logLine, only }: MutantOptions): Promise<MutantResult[]> {
  assertServiceMutantsApply();
  const results: MutantResult[] = [];
  for (const mutant of serviceMutants) {
    if (only !== undefined && only !== mutant.name) continue;
    logLine(`mutant: ${mutant.name}`);
    const copy = copyBuild('mutant');
    try {
      applyMutant(copy, mutant);
      const { violations, schedules } = await runSchedules({
        dist: copy.dist,
        seeds: Array.from({ length: maxSchedules }, (_, index) => firstSeed + index),
        keepIn: join(keepIn, 'mutants'),
        logLine,
        onlyUntilFirst: true,
        ...(mutant.fault
          ? { fault: { kind: mutant.fault, freezeMs: forcedFreezeMs } }
          : { forced: { change: null, ...mutant.forced } }),
      });
      results.push({ name: mutant.name, violation: violations[0], schedules });
    } finally {
      copy.remove();
    }
  }
  return results;
}

/** Applies the mutant to the copy, and builds the workflow bundle again. */
function applyMutant({ dist }: BuildCopy, mutant: ServiceMutant): void {
  const file = join(dist, mutant.file);
  writeFileSync(file, mutate(readFileSync(file, 'utf8'), mutant));
  bundleWorkflows(dist);
}
