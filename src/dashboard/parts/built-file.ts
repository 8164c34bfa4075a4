import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns a file of the dashboard that the build makes (ADR 0082). A test that runs the sources finds none
 * next to them, and reads the file from the build that every test run begins with.
 */
export function builtFile(name: string): string {
  const inSources = new URL(`../assets/${name}`, import.meta.url);
  const inBuild = new URL(`../../../dist/src/dashboard/assets/${name}`, import.meta.url);
  return readFileSync(existsSync(inSources) ? inSources : inBuild, 'utf8');
}
