import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { packNpm } from '../support/harness/packed-sdks.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import type { RunningStack } from '../schemathesis/stack.ts';
import { freePort, webhookSwitch } from './endpoint.ts';
import { runCommand } from './run-command.ts';
import { startShop } from './running-shop.ts';
import type { Sample } from './shop-checks.ts';

const leftOut = /\/(?:node_modules|\.next|shop\.db[^/]*)$/;

/** Installs a copy of `examples/nextjs` with the packed client, as its README does, and builds it. */
export async function openNextjs(directory: string, service: RunningStack): Promise<Sample> {
  const shop = join(directory, 'shop');
  const example = join(projectRoot, 'examples', 'nextjs');
  cpSync(example, shop, { recursive: true, filter: (path) => !leftOut.test(path) });
  const env = { ...process.env, NODE_OPTIONS: '', NEXT_TELEMETRY_DISABLED: '1' };
  await runCommand('npm', ['ci'], { cwd: shop, env });
  await runCommand('npm', ['install', '--no-save', await packNpm('typescript', directory)], {
    cwd: shop,
    env,
  });
  await runCommand('npm', ['run', 'build'], { cwd: shop, env });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const webhooks = await webhookSwitch(service, `${url}/webhooks`);
  const next = join(shop, 'node_modules', 'next', 'dist', 'bin', 'next');
  const command = [
    process.execPath,
    next,
    'start',
    '--hostname',
    '127.0.0.1',
    '--port',
    String(port),
  ] as const;
  const settings = {
    PATH: process.env['PATH'],
    NEXT_TELEMETRY_DISABLED: '1',
    CARD_PAYMENTS_URL: service.baseUrl,
    CARD_PAYMENTS_API_KEY: service.sandboxApiKey,
    WEBHOOK_SECRET: webhooks.secret,
    SHOP_URL: url,
    SHOP_DATABASE: join(directory, 'shop.db'),
    RECONCILE_SECONDS: '3600',
  };
  return {
    name: 'nextjs',
    service,
    start: () => startShop(command, { cwd: shop, url, env: settings }),
    setWebhooks: webhooks.set,
  };
}
