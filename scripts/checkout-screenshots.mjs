/** Takes a picture of every state of the checkout page into docs/checkout/, by the test that walks through them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    'test/e2e/checkout-page/states',
    '--selectProjects',
    'stack',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CHECKOUT_SCREENSHOTS: join(root, 'docs', 'checkout') },
  },
);
process.exitCode = status ?? 1;
