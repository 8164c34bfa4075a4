/**
 * `npm run docs:dashboard-screenshots`: takes the pictures of docs/dashboard/ again, with the test that opens
 * every page.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptPicture } from '../../../support/harness/kept-picture.ts';
import { projectRoot } from '../../../support/harness/project-root.ts';

const kept = join(projectRoot, 'docs', 'dashboard');
const taken = await mkdtemp(join(tmpdir(), 'dashboard-pictures-'));
const test = spawn(
  process.execPath,
  [join(projectRoot, 'scripts', 'test.mjs'), 'test/e2e/dashboard/pictures', '--selectProjects=nightly'],
  { cwd: projectRoot, stdio: 'inherit', env: { ...process.env, DASHBOARD_SCREENSHOTS: taken } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => test.kill(signal));
const [code] = await once(test, 'exit');
if (code === 0) {
  for (const name of await readdir(kept)) await rm(join(kept, name));
  for (const name of await readdir(taken)) {
    await writeFile(join(kept, name), keptPicture(await readFile(join(taken, name))));
  }
}
await rm(taken, { recursive: true });
process.exitCode = code === 0 ? 0 : 1;
