import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/server/database.ts';
import { grantPrivileges } from '../../src/db/server/grant-privileges.ts';
import { migrate } from '../../src/db/server/migrate.ts';
import { createReceiver, type Receiver } from '../support/receiver.ts';
import { disputeOf, idOf, keyed, paidPayment, refund, untilField } from '../support/refunds-and-disputes.ts';
import {
  dumpRows,
  migrationChecksums,
  type Release,
  releaseSchema,
  restoreRelease,
} from '../support/release.ts';
import { describeSchema } from '../support/schema-description.ts';
import { eventually, Shop } from '../support/shop.ts';
import { cloneDatabase, createWorld, emptyDatabase, type World } from '../support/world.ts';

const directory = fileURLToPath(new URL('.', import.meta.url));

/** Keys of the databases that are kept here, and of no other. */
const encryptionKeys = `release:${Buffer.alloc(32, 7).toString('base64')}`;

/** Plays what a merchant's first days bring; returns the id of every payment, by what became of it. */
async function play(world: World, shop: Shop, receiver: Receiver): Promise<Record<string, string>> {
  const answer = await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
  expect(answer.status).toBe(201);
  const pending = await shop.customPayment({ reference: 'order-pending' });
  const paid = await paidPayment(shop, '4242424242424242', { reference: 'order-paid' });
  const refunded = await paidPayment(shop, '4242424242424242', { reference: 'order-refunded' });
  const taken = await refund(shop, refunded, { amountCents: 500, reason: 'requestedByCustomer' });
  await untilField(shop, `/v1/refunds/${idOf(taken)}`, 'status', 'succeeded');
  const disputed = await paidPayment(shop, '4242424242424242', { reference: 'order-disputed' });
  await keyed(shop, `/v1/sandbox/payments/${disputed}/disputes`, { reason: 'fraudulent' });
  await disputeOf(shop, disputed);
  const declined = await shop.customPayment({ reference: 'order-declined' });
  await eventually(async () => {
    await shop.pay(declined, await shop.captureCard(declined, '4000000000000002'));
    return (await shop.checkout(declined))['attemptsLeft'] === 5 ? undefined : true;
  });
  await eventually(async () => {
    const { rows } = await world.database.query(
      `SELECT FROM webhook_deliveries WHERE status = 'delivered' HAVING count(*) >= 5`,
    );
    return rows.length > 0 ? true : undefined;
  });
  return { pending, paid, refunded, disputed, declined };
}

/** Returns a database that this version wrote, with what its API answers about it. */
async function writeRelease(version: string): Promise<{ release: Release; rows: string }> {
  const world = await createWorld(
    { ENCRYPTION_KEYS: encryptionKeys, REFUND_DELAY_SECONDS: '0' },
    { webhooks: true },
  );
  const receiver = await createReceiver();
  try {
    const merchantId = await world.merchant();
    const apiKey = await world.key(merchantId, 'sandbox');
    const shop = new Shop(world.baseUrl, apiKey);
    const ids = await play(world, shop, receiver);
    await world.stopWorker();
    const answers: Release['answers'] = {};
    const events = `/v1/events?after=start&limit=100`;
    const paths = ['/v1/refunds', '/v1/disputes', events, '/v1/webhook-endpoints'];
    for (const id of Object.values(ids)) paths.push(`/v1/payments/${id}`);
    for (const path of paths) {
      const answered = await shop.call('GET', path);
      expect([path, answered.status]).toEqual([path, 200]);
      answers[path] = JSON.parse(answered.text) as Record<string, unknown>;
    }
    const release = {
      version,
      migrations: await migrationChecksums(),
      settings: { ENCRYPTION_KEYS: encryptionKeys },
      apiKey,
      merchantId,
      answers,
    };
    return { release, rows: await dumpRows(world.database) };
  } finally {
    await receiver.close();
    await world.close();
  }
}

/**
 * Starts a release's database with this version and reads all that the release answered about it. Returns the
 * status of a payment that is made and paid on it.
 */
async function payOn(release: Release, rows: string): Promise<unknown> {
  const url = await emptyDatabase();
  await restoreRelease(url, release, rows);
  await migrate(url);
  await grantPrivileges(url);
  const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  const fresh = openDatabase({ url: await cloneDatabase(), poolSize: 1, applicationName: 'test' });
  try {
    // Migrated, it is what this version makes from nothing.
    expect(await describeSchema(database)).toEqual(await describeSchema(fresh));
  } finally {
    await Promise.all([database.end(), fresh.end()]);
  }
  const world = await createWorld(release.settings, { databaseUrl: url, worker: false });
  try {
    const shop = new Shop(world.baseUrl, release.apiKey);
    for (const [path, answer] of Object.entries(release.answers)) {
      const answered = await shop.call('GET', path);
      // Later versions may add fields.
      expect([path, answered.status, JSON.parse(answered.text)]).toEqual([
        path,
        200,
        expect.objectContaining({ data: expect.anything() as unknown }),
      ]);
      expect(JSON.parse(answered.text)).toMatchObject(answer);
    }
    const listed = await shop.call('GET', '/v1/payments?perPage=100');
    const { meta } = JSON.parse(listed.text) as { meta: { total: number } };
    const known = Object.keys(release.answers).filter((path) => path.startsWith('/v1/payments/'));
    expect(meta.total).toBe(known.length);
    await world.startWorker();
    return (await shop.read(await paidPayment(shop)))['status'];
  } finally {
    await world.close();
  }
}

const releases = readdirSync(directory).filter((name) => existsSync(join(directory, name, 'release.json')));

it.each(releases)('the database of %s is read and paid on by this version', async (version) => {
  const text = await readFile(join(directory, version, 'release.json'), 'utf8');
  const release = releaseSchema.parse(JSON.parse(text));
  const rows = await readFile(join(directory, version, 'database.sql'), 'utf8');
  expect(await payOn(release, rows)).toBe('paid');
});

it('a database that this version writes is read and paid on once it is restored', async () => {
  const version = process.env['RELEASE_VERSION'];
  const { release, rows } = await writeRelease(version ?? 'next');
  expect(await payOn(release, rows)).toBe('paid');
  // Written for a release alone: src/db/README.md, "A release".
  if (version === undefined) return;
  await mkdir(join(directory, version), { recursive: true });
  await writeFile(join(directory, version, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
  await writeFile(join(directory, version, 'database.sql'), rows);
});
