/**
 * `npm run docs:checkout-screenshots`: takes a picture of every state of the checkout page into
 * docs/checkout/, by the test that walks through them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../../support/harness/project-root.ts';

const test = spawn(
  process.execPath,
  [join(projectRoot, 'scripts', 'test.mjs'), 'test/e2e/checkout-page/pictures', '--selectProjects=nightly'],
  {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, CHECKOUT_SCREENSHOTS: join(projectRoot, 'docs', 'checkout') },
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => test.kill(signal));
const [code] = await once(test, 'exit');
process.exitCode = code === 0 ? 0 : 1;
