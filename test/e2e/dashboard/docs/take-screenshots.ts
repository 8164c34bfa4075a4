/**
 * `npm run docs:dashboard-screenshots`: takes the pictures of docs/dashboard/ anew, by the test that compares
 * every page; of its pictures those are kept that are there already.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../support/harness/project-root.ts';

const kept = join(projectRoot, 'docs', 'dashboard');
const taken = await mkdtemp(join(tmpdir(), 'dashboard-pictures-'));
const test = spawn(
  process.execPath,
  [join(projectRoot, 'scripts', 'test.mjs'), 'test/e2e/dashboard/pictures', '--selectProjects=endurance'],
  { cwd: projectRoot, stdio: 'inherit', env: { ...process.env, DASHBOARD_SCREENSHOTS: taken } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => test.kill(signal));
const [code] = await once(test, 'exit');
if (code === 0) {
  for (const name of await readdir(kept)) await copyFile(join(taken, name), join(kept, name));
}
await rm(taken, { recursive: true });
process.exitCode = code === 0 ? 0 : 1;
