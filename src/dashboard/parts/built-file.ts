import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns a file of the dashboard that the build makes (ADR 0082). A test runs the sources and has none
 * beside them: it reads the file of the build that every test run begins with.
 */
export function builtFile(name: string): string {
  const beside = new URL(`../assets/${name}`, import.meta.url);
  const inBuild = new URL(`../../../dist/src/dashboard/assets/${name}`, import.meta.url);
  return readFileSync(existsSync(beside) ? beside : inBuild, 'utf8');
}
