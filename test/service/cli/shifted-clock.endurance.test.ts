import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../support/harness/project-root.ts';
import { cloneDatabase } from '../../support/world.ts';

const main = join(projectRoot, 'dist/src/cli/admin.js');
const hour = 3_600_000;

let url: string;
beforeAll(async () => {
  url = await cloneDatabase();
});

/** Runs the operator command on a machine whose clock is ahead by `shiftMs`. */
async function admin(shiftMs: number, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      CLOCK_SHIFT_MS: String(shiftMs),
      NODE_OPTIONS: `--import ${join(projectRoot, 'test/support/shifted-clock.mjs')}`,
    },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

it.each([
  ['25 hours behind', -25 * hour],
  ['25 hours ahead', 25 * hour],
])(
  'on a machine %s, a rotated secret stays valid for 24 hours of the database, and the audit has its time',
  async (_name, shiftMs) => {
    const merchant = String((await admin(0, 'merchant', 'create', '--name', 'Shop'))['merchantId']);
    const place = ['--merchant', merchant, '--environment', 'sandbox'];
    const { endpointId } = await admin(0, 'webhook', 'create', ...place, '--url', 'http://127.0.0.1:9/hook');
    const rotated = await admin(shiftMs, 'webhook', 'rotate', '--endpoint', String(endpointId));
    const leftMs = Date.parse(String(rotated['previousSecretExpiresAt'])) - Date.now();
    expect(Math.abs(leftMs - 24 * hour)).toBeLessThan(hour);
    const { entries } = (await admin(0, 'audit', 'list', '--merchant', merchant)) as {
      entries: { action: string; at: string }[];
    };
    const entry = entries.find(({ action }) => /rotate/i.test(action));
    expect(Math.abs(Date.parse(entry?.at ?? '') - Date.now())).toBeLessThan(hour);
  },
);
