import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { archiveLog, backUpRunning, restoreTo } from './base-backup.ts';
import { type Made, create, expectWhole, payWith } from './payments.ts';
import { type Stand, eventually } from './stand.ts';

const perSecond = 5;
/** How long payments are made before the instant of the restore, and after it, in ms. */
const beforeMs = 30_000;
const behindMs = 120_000;

/** Makes and pays payments at a steady rate until it is stopped; returns those that were created. */
function makePayments(stand: Stand): { stop: () => Promise<Made[]> } {
  const under: Promise<Made>[] = [];
  const ended = new AbortController();
  const making = (async () => {
    while (!ended.signal.aborted) {
      under.push(createAndPay(stand));
      await sleep(1_000 / perSecond);
    }
  })();
  return {
    stop: async () => {
      ended.abort();
      await making;
      return Promise.all(under);
    },
  };
}

async function createAndPay(stand: Stand): Promise<Made> {
  const made = await create(stand);
  const { status } = await payWith(stand, made);
  assert.equal(status, 200);
  return { ...made, captured: 1 };
}

/**
 * A base backup is taken while five payments a second are made, and PostgreSQL recovers from it and its
 * archived log up to two minutes before the end. The book of the network went on.
 */
export async function pointInTime(stand: Stand): Promise<void> {
  const cluster = join(stand.dataDir, 'postgres');
  const backup = `${cluster}-base`;
  await stand.start();
  await stand.stop();
  archiveLog(cluster);
  await stand.start();
  const payments = makePayments(stand);
  await sleep(beforeMs / 2);
  await backUpRunning(cluster, backup, stand.running.databaseUrl);
  await sleep(beforeMs / 2);
  const target = new Date();
  await sleep(behindMs);
  const all = await payments.stop();
  await stand.stop();
  restoreTo(cluster, backup, target);
  await stand.start();

  const rows = await stand.query('SELECT id FROM payments');
  const kept = new Set(rows.map(({ id }) => id));
  const missing = all.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  assert.ok(
    kept.size > perSecond && missing.length > (behindMs / 1_000) * perSecond * 0.8,
    `${missing.length}`,
  );
  const since = new Date(target.getTime() - 60_000).toISOString();
  const found = await stand.admin(['restore', 'check', '--since', since]);
  assert.equal(found.code, 3, found.error);
  assert.deepEqual((found.answer['missingPayments'] as string[]).toSorted(), missing.toSorted());
  const [lost] = all.filter(({ id }) => !kept.has(id));
  assert.ok(lost);
  assert.equal((await stand.shop.create(lost.key)).status, 503);
  const beganAt = performance.now();
  const finished = await stand.admin(['restore', 'finish', '--since', since]);
  const seconds = Math.round((performance.now() - beganAt) / 1_000);
  assert.equal(finished.code, 0, `${finished.error} ${JSON.stringify(finished.answer)}`);
  process.stdout.write(
    `  ${all.length} payments, ${missing.length} of them lost and written back in ${seconds} s\n`,
  );
  await eventually(
    'writes are accepted',
    async () => ((await stand.ready()).body['restored'] === undefined ? true : undefined),
    10_000,
  );
  await pMap(all, (made) => expectWhole(stand, [made]), { concurrency: 8 });
  const count = await stand.query('SELECT count(*)::int AS payments FROM payments');
  assert.deepEqual(count, [{ payments: all.length }], 'a key made a second payment');
}
