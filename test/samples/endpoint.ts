import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { RunningStack } from '../schemathesis/stack.ts';

/** Returns a port of the loopback interface that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** A webhook endpoint that is switched on and off; it begins off. */
export interface WebhookSwitch {
  secret: string;
  set: (on: boolean) => Promise<void>;
}

/** Creates an endpoint for an address. */
export async function webhookSwitch(service: RunningStack, url: string): Promise<WebhookSwitch> {
  const call = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const answered = await fetch(`${service.baseUrl}/v1/webhook-endpoints${path}`, {
      method,
      headers: { Authorization: `Bearer ${service.sandboxApiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    if (!answered.ok) throw new Error(`the endpoint was answered ${answered.status}`);
    return ((await answered.json()) as { data: Record<string, string> }).data;
  };
  const { id = '', secret = '' } = await call('POST', '', { url });
  const set = async (on: boolean): Promise<void> => {
    await call('PATCH', `/${id}`, { status: on ? 'enabled' : 'disabled' });
  };
  await set(false);
  return { secret, set };
}
