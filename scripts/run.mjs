/**
 * `node scripts/run.mjs <entry below dist/> ...args`: installs and builds what is missing, saying so on
 * stderr only, then runs the entry in this same process: its output, input and exit code are ours.
 */
import { bootstrap, root } from './bootstrap.mjs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { Problem, reportingProblems } from './lib/problem.mjs';

const [name, ...args] = process.argv.slice(2);
const entry = join(root, 'dist', name ?? '');

await reportingProblems(async () => {
  await bootstrap();
  await build({ strict: false });
  if (!name || !existsSync(entry))
    throw new Problem(`usage: node scripts/run.mjs <file below dist/> [arguments]`);
});

process.argv = [process.execPath, entry, ...args];
await import(pathToFileURL(entry).href);
