import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What the output of Go commands names so far. */
export interface GoOutput {
  /** Modules whose download has begun. */
  modules: number;
  /** Packages that were listed or compiled. */
  packages: number;
}

/** Counts the complete lines of `go list` and `go install -v`: modules and packages. Pure. */
export function readGoOutput(text: string): GoOutput {
  const lines = text.split('\n').slice(0, -1);
  return {
    modules: lines.filter((line) => /^go: downloading \S+ v\S+$/.test(line)).length,
    packages: lines.filter((line) => /^[\w.~+-]+(\/[\w.~+-]+)*$/.test(line)).length,
  };
}

/**
 * Returns the progress of a build as a text. `total`: the number of packages that it compiles; undefined
 * while they are searched for, null if it is unknown. Pure.
 */
export function buildProgress(
  label: string,
  { modules, packages }: GoOutput,
  total: number | null | undefined,
  seconds: number,
): string {
  if (total === undefined) {
    const found = modules === 0 ? '' : `${modules} modules downloaded, `;
    return `preparing the build of ${label} with Go, once: ${found}${seconds} s`;
  }
  const of = total === null ? '' : ` of ${Math.max(total, packages)}`;
  return `building ${label} with go install, once, a few minutes: ${packages}${of} packages, ${seconds} s`;
}

/** Returns the size of a file; 0 if there is none. */
export function sizeOf(file: string): number {
  return withFile(file, (descriptor) => fstatSync(descriptor).size) ?? 0;
}

/** Returns the text of a file from an offset on; empty if there is no such file. */
export function readFrom(file: string, offset: number): string {
  const read = (descriptor: number): string => {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - offset));
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, offset));
  };
  return withFile(file, read) ?? '';
}

function withFile<T>(file: string, use: (descriptor: number) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    return use(descriptor);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
