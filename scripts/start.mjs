/**
 * `npm start`: installs and builds what is missing, then runs the stack in this same process, so that there
 * is one launcher to signal and one exit code.
 */
import { bootstrap, root } from './bootstrap.mjs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { refuseBusyPort } from './lib/busy-port.mjs';
import { reportingProblems } from './lib/problem.mjs';

await reportingProblems(async () => {
  await refuseBusyPort(process.argv.slice(2));
  await bootstrap();
  await build({ strict: true });
});

const entry = join(root, 'dist', 'local-stack', 'main.js');
process.argv[1] = entry;
await import(pathToFileURL(entry).href);
