import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scopes } from '../../../src/domain/scopes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');

let world: World;
let merchantId: string;
let place: string[];
beforeAll(async () => {
  world = await createWorld({ RATE_LIMITS: 'off' }, { worker: false });
  merchantId = await world.merchant();
  place = ['--merchant', merchantId, '--environment', 'sandbox'];
});
afterAll(() => world.close());

/** The output of the operator's command, or its refusal. */
async function admin(...args: string[]): Promise<string> {
  try {
    const env = { PATH: process.env['PATH'], ...world.environment };
    return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}
const json = async (...args: string[]) => JSON.parse(await admin(...args)) as Record<string, unknown>;

describe('admin key create', () => {
  it.each([
    ['full', null],
    ['read-only', scopes.filter((scope) => scope.endsWith(':read'))],
    ['no-refunds', scopes.filter((scope) => scope !== 'refunds:write')],
  ])('--scopes %s makes a key of that set', async (word, held) => {
    const made = await json('key', 'create', ...place, '--scopes', word);
    const { keys } = (await json('key', 'list', ...place)) as { keys: Record<string, unknown>[] };
    expect(keys.find(({ id }) => id === made['keyId'])?.['scopes']).toEqual(held);
  });

  it('--allow-from binds a key to addresses and networks, and refuses what is none', async () => {
    const make = async (list: string) =>
      new Shop(
        world.baseUrl,
        String((await json('key', 'create', ...place, '--allow-from', list))['apiKey']),
      );
    const call = async (shop: Shop) => (await shop.call('GET', '/v1/payments')).body.error?.code ?? 'taken';
    expect(await call(await make('10.0.0.0/8,127.0.0.1'))).toBe('taken');
    expect(await call(await make('10.0.0.0/8,192.0.2.7'))).toBe('address_not_allowed');
    for (const wrong of ['10.0.0.0/33', 'shop.example', '']) {
      expect(await admin('key', 'create', ...place, '--allow-from', wrong)).toContain('--allow-from');
    }
  });
});

it('admin settings set --refund-approval-cents sets a sum, and none ends it', async () => {
  const set = (cents: string) => admin('settings', 'set', ...place, '--refund-approval-cents', cents);
  expect(JSON.parse(await set('50000'))).toMatchObject({ refundApprovalCents: 50_000 });
  expect(JSON.parse(await set('none'))).toMatchObject({ refundApprovalCents: null });
  expect(await set('-1')).toContain('--refund-approval-cents');
});

it('admin risk clear says how many marks it cleared, and refuses an unknown merchant', async () => {
  expect(await json('risk', 'clear', ...place)).toMatchObject({ merchantId, cleared: 0 });
  const unknown = ['--merchant', '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11', '--environment', 'sandbox'];
  expect(await admin('risk', 'clear', ...unknown)).toMatch(/no merchant/i);
});
