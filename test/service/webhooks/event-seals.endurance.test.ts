import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidv7 } from 'uuidv7';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import { createMerchant } from '../../../src/db/merchants/merchants.ts';
import type { Tenant } from '../../../src/db/payments/payments.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { clearLeftovers } from '../../../src/db/server/leftovers.ts';
import { insertEvent } from '../../../src/db/webhooks/events.ts';
import { createEventSealSweep } from '../../../src/sweeps/sweep-event-seals.ts';
import { sealEvents, verifyEvents } from '../../../src/webhooks/event-seals.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { cloneDatabase } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
const keyring = createKeyring(developmentEncryptionKeys);

let url: string;
let database: Database;
let tenant: Tenant;
beforeAll(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 4, applicationName: 'test', signWith: keyring });
});
afterAll(() => database.end());
beforeEach(async () => {
  tenant = { merchantId: await merchant(), environment: 'sandbox' };
});

async function merchant(): Promise<string> {
  const id = uuidv7();
  await createMerchant(database, { id, name: 'Shop', status: 'active' }, byOperator());
  return id;
}

/** Adds `count` events. Returns their ids in the order of the log. */
async function happen(count: number, at = new Date()): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { id } = await inTransaction(database, (transaction) =>
      insertEvent(transaction, {
        payment: { ...tenant, id: null },
        type: 'risk.cardTesting',
        sequence: 0,
        stateSeq: null,
        previousStatus: null,
        data: { number },
        at,
      }),
    );
    ids.push(id);
  }
  return ids;
}

const seal = () => sealEvents({ database, keyring }, tenant);
const verify = () => verifyEvents({ database, keyring }, tenant);

it('seals what was not sealed yet, in one signed chain, and finds it unchanged', async () => {
  await happen(3);
  expect(await seal()).toBe(3);
  await happen(2);
  expect(await seal()).toBe(2);
  expect(await seal()).toBe(0);
  expect(await verify()).toEqual({ events: 5, seals: 2, wrong: null });
});

it.each([
  ['changed', `UPDATE events SET data = '{"number":7}' WHERE id = $1`, 'was changed after it was sealed'],
  [
    'moved in time',
    `UPDATE events SET created_at = created_at - interval '1 s' WHERE id = $1`,
    'was changed',
  ],
  ['deleted', 'DELETE FROM events WHERE id = $1', 'is missing'],
])('names an event that was %s by the owner of the database', async (_what, statement, fault) => {
  const ids = await happen(3);
  await seal();
  await database.query(statement, [ids[1]]);
  const { wrong } = await verify();
  expect(wrong).toContain(`event ${ids[1]}`);
  expect(wrong).toContain(fault);
});

it('names an event that was put between sealed ones', async () => {
  const ids = await happen(3);
  await seal();
  // The second of four replaces the second of three.
  const [late = ''] = await happen(1);
  await database.query(
    `UPDATE events SET position = (SELECT position FROM events WHERE id = $2) - 1 WHERE id = $1`,
    [ids[0], ids[0]],
  );
  await database.query(
    `UPDATE events SET position = (SELECT position FROM events WHERE id = $2) + 1 WHERE id = $1`,
    [late, ids[0]],
  );
  const { wrong } = await verify();
  expect(wrong).toContain(`event ${late} was added to what is sealed`);
});

it('names a seal that is missing or is not signed by this service', async () => {
  for (const count of [1, 1, 1]) {
    await happen(count);
    await seal();
  }
  const others = createKeyring(developmentEncryptionKeys);
  await database.query(
    `UPDATE event_seals SET signature = decode(repeat('07', 64), 'hex') WHERE merchant_id = $1
     AND last_position = (SELECT max(last_position) FROM event_seals WHERE merchant_id = $1)`,
    [tenant.merchantId],
  );
  expect((await verifyEvents({ database, keyring: others }, tenant)).wrong).toContain(
    'is not signed by the key of this service',
  );
  const remove = (which: string) =>
    database.query(
      `DELETE FROM event_seals WHERE merchant_id = $1
       AND last_position = (SELECT ${which}(last_position) FROM event_seals WHERE merchant_id = $1)`,
      [tenant.merchantId],
    );
  await remove('max');
  expect((await verify()).wrong).toContain('its seals end at position');
  await remove('min');
  expect((await verify()).wrong).toContain('a seal is missing before');
});

it('accepts events and seals that were deleted after their retention', async () => {
  // Events are deleted when all of their month is past its retention.
  const old = new Date(Date.now() - 125 * 86_400_000);
  await happen(2, old);
  await seal();
  await happen(1);
  await seal();
  await clearLeftovers(database, 'events', new Date(), 500);
  expect(await verify()).toEqual({ events: 1, seals: 2, wrong: null });
});

it('a seal is deleted after the last event of its month', async () => {
  await happen(1);
  await seal();
  const clearedAfter = async (days: number): Promise<number> => {
    await database.query(
      `UPDATE event_seals SET sealed_at = now() - $2 * interval '1 day' WHERE merchant_id = $1`,
      [tenant.merchantId, days],
    );
    return clearLeftovers(database, 'eventSeals', new Date(), 100);
  };
  expect(await clearedAfter(91)).toBe(0);
  expect(await clearedAfter(125)).toBe(1);
});

it('the sweep seals the events of every merchant, also after one that cannot be sealed', async () => {
  const own = tenant;
  await happen(2);
  tenant = { merchantId: await merchant(), environment: 'live' };
  await happen(1);
  const sweep = createEventSealSweep({
    database,
    everyMs: 1,
    seal: (due) =>
      due.merchantId === own.merchantId
        ? Promise.reject(new Error('cannot be read'))
        : sealEvents({ database, keyring }, due),
  });
  await expect(sweep.run(() => true)).rejects.toThrow('cannot be read');
  expect(await verify()).toEqual({ events: 1, seals: 1, wrong: null });
});

it('admin event verify seals the rest, and names what is changed later', async () => {
  const [first] = await happen(2);
  const admin = (): Promise<string> =>
    promisify(execFile)(process.execPath, [main, 'event', 'verify', '--merchant', tenant.merchantId], {
      env: { PATH: process.env['PATH'], DATABASE_URL: url },
    }).then(
      ({ stdout }) => stdout,
      (error: unknown) => String((error as { stderr?: unknown }).stderr),
    );
  expect(JSON.parse(await admin())).toEqual({
    merchantId: tenant.merchantId,
    valid: true,
    events: 2,
    seals: 1,
  });
  await database.query(`UPDATE events SET type = 'payment.paid' WHERE id = $1`, [first]);
  expect(await admin()).toContain(`event ${first} was changed`);
});
