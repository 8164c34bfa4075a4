import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import type { SandboxResult } from '../../../src/domain/sandbox.ts';
import { advanceClock } from '../../../src/operations/sandbox/payments.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
});
afterAll(() => world.close());

it('advance-clock moves the deadline at the network once the checkout is expired, so that a capture is late', async () => {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const id = await shop.customPayment();
  const statusOf = async () => {
    const { rows } = await world.database.query<{ status: string }>(
      'SELECT checkout_status AS status FROM payments WHERE id = $1',
      [id],
    );
    return rows[0]?.status;
  };
  const seen: unknown[] = [];
  const run = async (): Promise<SandboxResult> => {
    seen.push(await statusOf());
    return { status: 'done', disputeReference: null };
  };
  /** A workflow that has moved its deadlines and commits their end a moment later. */
  const moved = async () => {
    void sleep(300).then(() =>
      world.database.query(
        `UPDATE payments SET checkout_status = 'expired', terminal_reason = 'checkout_expired' WHERE id = $1`,
        [id],
      ),
    );
    return { expiresAtMs: Date.now() - 1_000, captureEndsAtMs: Date.now() - 1_000 };
  };
  await advanceClock(
    {
      database: world.database,
      now: Date.now,
      idempotencyRetentionSeconds: 3_600,
      keyring: createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS),
      sandbox: { run },
      workflows: { advanceClock: moved },
    },
    {
      tenant: { merchantId, environment: 'sandbox' },
      key: randomUUID(),
      id,
      sent: { bySeconds: 1_800 },
      actor: { kind: 'operator', id: null, name: 'test', address: null },
    },
    { bySeconds: 1_800 },
  );
  expect(seen).toEqual(['expired']);
});
