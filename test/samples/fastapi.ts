import { join } from 'node:path';
import { installPackedPython } from '../support/harness/packed-sdks.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { installPython } from '../support/harness/python-tools.ts';
import type { RunningStack } from '../schemathesis/stack.ts';
import { freePort, webhookSwitch } from './endpoint.ts';
import { startShop } from './running-shop.ts';
import type { Sample } from './shop-checks.ts';

/** Installs `examples/fastapi` with the packed client. */
export async function openFastApi(directory: string, service: RunningStack): Promise<Sample> {
  const example = join(projectRoot, 'examples', 'fastapi');
  const bin = await installPython('sample-fastapi', join(example, 'requirements.txt'));
  const { python } = await installPackedPython(bin, directory);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const webhooks = await webhookSwitch(service, `${url}/webhooks`);
  const env = {
    PATH: process.env['PATH'],
    PYTHONDONTWRITEBYTECODE: '1',
    CARD_PAYMENTS_URL: service.baseUrl,
    CARD_PAYMENTS_API_KEY: service.sandboxApiKey,
    WEBHOOK_SECRET: webhooks.secret,
    SHOP_URL: url,
    SHOP_DATABASE: join(directory, 'shop.db'),
    RECONCILE_SECONDS: '3600',
  };
  const command = [python, '-m', 'uvicorn', 'shop:app', '--port', String(port)] as const;
  return {
    name: 'fastapi',
    service,
    start: () => startShop(command, { cwd: example, url, env }),
    setWebhooks: webhooks.set,
  };
}
