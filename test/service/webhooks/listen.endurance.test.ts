import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PackedCli, packCli, runCli } from '../../support/packed-cli.ts';
import { createApiKey } from '../../../src/crypto/api-key.ts';
import { paidPayment } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { type Receiver, createReceiver, isSignedBy } from '../../support/receiver.ts';

let cli: PackedCli;
let world: World;
let shop: Shop;
let directory: string;
let receiver: Receiver;
let healthy = true;
const running: ChildProcess[] = [];

beforeAll(async () => {
  [world, cli] = await Promise.all([createWorld({}, { webhooks: true }), packCli()]);
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  directory = await mkdtemp(join(tmpdir(), 'card-payments-listen-'));
  receiver = await createReceiver((_delivery, response) => response.writeHead(healthy ? 204 : 500).end());
});
afterAll(async () => {
  for (const child of running) endGroup(child, 'SIGKILL');
  await receiver.close();
  await world.close();
  await rm(directory, { recursive: true, force: true });
  await rm(cli.directory, { recursive: true, force: true });
});

/** Starts `listen` and waits for its first lines. Returns its process and the secret that it prints. */
async function listen(
  command: readonly [string, ...string[]] = [process.execPath, cli.main],
): Promise<{ child: ChildProcess; secret: string }> {
  const [program, ...before] = command;
  const child = spawn(
    program,
    [...before, 'listen', '--forward-to', receiver.url, '--base-url', world.baseUrl, '--data-dir', directory],
    {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: directory, CARD_PAYMENTS_API_KEY: shop.key },
      stdio: ['ignore', 'pipe', 'inherit'],
      // Its own process group, because npx starts further processes that do not end with it.
      detached: true,
    },
  );
  running.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const secret = await eventually(async () => /whsec_[A-Za-z0-9+/=]+/.exec(printed)?.[0]);
  return { child, secret };
}

/** Signals a process and those that it started, which may have ended. */
function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group is empty.
  }
}

const paymentsReceived = (): unknown[] => receiver.received.map(({ event }) => event.data['id']);

const arrives = (id: string): Promise<boolean> =>
  eventually(async () => (paymentsReceived().includes(id) ? true : undefined));

describe('listen', () => {
  it('forwards events after its first start, and continues after a crash where it stopped, with the same secret', async () => {
    const before = await paidPayment(shop);
    const first = await listen();
    const during = await paidPayment(shop);
    await arrives(during);
    expect(receiver.received.every((delivery) => isSignedBy(first.secret, delivery))).toBe(true);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const away = [await paidPayment(shop), await paidPayment(shop)];
    healthy = false;
    const sentBefore = receiver.received.length;
    const second = await listen();
    expect(second.secret).toBe(first.secret);
    // An event that is not accepted is tried again, and no later event is sent before it. A process that is
    // killed before it stores its progress repeats the last event.
    await eventually(async () => (receiver.received.length >= sentBefore + 2 ? true : undefined));
    expect(new Set(paymentsReceived().slice(sentBefore)).size).toBe(1);
    expect(paymentsReceived()).not.toContain(away[1]);
    healthy = true;
    await arrives(away[1] ?? '');
    expect(paymentsReceived()).not.toContain(before);
    expect([...new Set(paymentsReceived())]).toEqual([during, ...away]);
    second.child.kill('SIGTERM');
    const [code] = (await once(second.child, 'exit')) as [number];
    expect(code).toBe(0);
  });

  it('runs from its tarball alone, in an empty folder', async () => {
    await copyFile(cli.tarball, join(directory, 'card-payments.tgz'));
    const { child, secret } = await listen(['npx', '--yes', '--offline', './card-payments.tgz']);
    expect(secret).toMatch(/^whsec_/);
    const id = await paidPayment(shop);
    await arrives(id);
    endGroup(child, 'SIGTERM');
    await once(child, 'exit');
  });

  it('ends with exit code 1 and one line for a key that is not accepted', async () => {
    const unknown = await runCli(cli, ['listen', '--forward-to', receiver.url, '--base-url', world.baseUrl], {
      env: { CARD_PAYMENTS_API_KEY: createApiKey('sandbox').text },
    });
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toMatch(/^Invalid API key\.[^\n]+card-payments login[^\n]+\n$/);
  });
});
