import { rm } from 'node:fs/promises';
import { eventTypes } from '../../../src/domain/event-types.ts';
import { type PackedCli, packCli, runCli } from '../../support/packed-cli.ts';
import { type World, createWorld } from '../../support/world.ts';

let cli: PackedCli;
let world: World;
let env: Record<string, string>;

beforeAll(async () => {
  [world, cli] = await Promise.all([
    createWorld({ SWEEP_SECONDS: '1', REFUND_DELAY_SECONDS: '600' }, { webhooks: true }),
    packCli(),
  ]);
  const key = await world.key(await world.merchant(), 'sandbox');
  env = { CARD_PAYMENTS_API_KEY: key, CARD_PAYMENTS_URL: world.baseUrl };
});
afterAll(async () => {
  await world.close();
  await rm(cli.directory, { recursive: true, force: true });
});

describe('trigger', () => {
  // Card testing would need scores of declined cards.
  it.each(eventTypes.filter((type) => type !== 'risk.cardTesting'))('makes %s happen', async (type) => {
    const { code, stdout, stderr } = await runCli(cli, ['trigger', type], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ type, environment: 'sandbox' });
  });
});
