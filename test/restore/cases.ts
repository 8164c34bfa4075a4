import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Made, create, expectStatus, expectWhole, paid, payWith, statusOf } from './payments.ts';
import { type Stand, eventually } from './stand.ts';

/** Everything that was open goes on within this time after the start, in ms. */
const goesOnMs = 60_000;
/** Paid after five seconds; and a card that needs a step of the customer. docs/sandbox.md */
const slowCard = '4000000000007304';
const declinedCard = '4000000000000002';

const refund = async (stand: Stand, made: Made): Promise<void> => {
  assert.equal((await stand.shop.refund(made.id)).status, 201);
  made.refundedCents = 2500;
  await eventually(
    'the refund',
    async () => ((await stand.ledger(made.id)).refunds[0]?.status === 'succeeded' ? true : undefined),
    30_000,
  );
};

const idsOf = (list: unknown): string[] => (list as string[]).toSorted();

/** The own database is restored: Temporal and the network went on. */
export async function ownRowsOlder(stand: Stand): Promise<void> {
  await stand.start();
  const early = [await paid(stand), await paid(stand), await create(stand)] as const;
  await stand.stop();
  stand.backUp('postgres');
  await stand.start();
  const late = [await paid(stand), await paid(stand), await paid(stand), await create(stand)] as const;
  await refund(stand, late[0]);
  await refund(stand, early[0]);
  assert.equal((await payWith(stand, early[2])).status, 200);
  early[2].captured = 1;
  const declined = await create(stand);
  assert.notEqual((await payWith(stand, declined, declinedCard)).status, 503);
  await stand.stop();
  stand.restore('postgres');
  await stand.start();

  await eventually(
    'restored in /readyz',
    async () => ((await stand.ready()).body['restored'] === true ? true : undefined),
    30_000,
  );
  const refused = await stand.shop.create(late[1].key);
  assert.deepEqual([refused.status, refused.body.error?.code], [503, 'service_unavailable']);
  assert.equal((await stand.shop.refund(early[1].id)).status, 503);
  assert.equal(await statusOf(stand, early[1]), 'paid', 'reads are answered');
  const alerts = (await stand.admin(['alert', 'list'])).answer['alerts'] as { sweep: string }[];
  assert.ok(
    alerts.some(({ sweep }) => sweep === 'restored rows'),
    'no alert is open',
  );
  const missing = [...late, declined].map(({ id }) => id);
  const found = await stand.admin(['restore', 'check']);
  assert.equal(found.code, 3, found.error);
  assert.deepEqual(idsOf(found.answer['missingPayments']), missing.toSorted());
  assert.equal((found.answer['missingRefunds'] as string[]).length, 2);
  assert.deepEqual(found.answer['orphanCharges'], []);
  assert.equal((await stand.admin(['restore', 'check', '--since', 'yesterday'])).code, 2);

  await stand.admin(['restore', 'finish'], 1_500);
  assert.equal((await stand.shop.create()).status, 503, 'a killed finish ends nothing');
  const finished = await stand.admin(['restore', 'finish']);
  assert.equal(finished.code, 0, `${finished.error} ${JSON.stringify(finished.answer)}`);
  await eventually(
    'writes are accepted',
    async () => ((await stand.ready()).body['restored'] === undefined ? true : undefined),
    10_000,
  );
  await expectWhole(stand, [...early, ...late, declined]);
  const marked = await stand.query('SELECT id FROM payments WHERE restored_at IS NOT NULL ORDER BY id');
  assert.deepEqual(
    marked.map(({ id }) => id),
    missing.toSorted(),
  );
  const again = await stand.admin(['restore', 'finish']);
  assert.equal(again.code, 0, JSON.stringify(again.answer));
  assert.deepEqual(again.answer['restoredPayments'], []);
  assert.equal((await stand.admin(['restore', 'check'])).code, 0);
  await paid(stand);
}

/** What is open when Temporal goes back or is gone: each goes on within 60 s. */
async function openPaymentsGoOn(stand: Stand, breakTemporal: () => void): Promise<void> {
  const before = await create(stand);
  await stand.stop();
  stand.backUp('temporal');
  await stand.start();
  const [done, open] = [await paid(stand), await create(stand)] as const;
  const refunding = await paid(stand);
  // Its answer is lost with the processes.
  const underWay = await create(stand);
  const paying = payWith(stand, underWay, slowCard).catch(() => undefined);
  await eventually(
    'the charge',
    async () => ((await stand.ledger(underWay.id)).charges.length > 0 ? true : undefined),
    20_000,
  );
  assert.equal((await stand.shop.refund(refunding.id)).status, 201);
  await stand.stop();
  await paying;
  breakTemporal();
  await stand.start();

  const startedAt = Date.now();
  await expectStatus(stand, underWay, 'paid', goesOnMs);
  underWay.captured = 1;
  await expectStatus(stand, refunding, 'refunded', goesOnMs);
  refunding.refundedCents = 2500;
  for (const made of [before, open]) {
    await eventually(
      'the pay of an open payment',
      async () => ((await payWith(stand, made)).status === 200 ? true : undefined),
      goesOnMs - (Date.now() - startedAt),
    );
    made.captured = 1;
  }
  assert.ok(Date.now() - startedAt < goesOnMs, `it took ${Date.now() - startedAt} ms`);
  await expectWhole(stand, [before, done, open, refunding, underWay]);
  const finished = await stand.admin(['restore', 'finish']);
  assert.equal(finished.code, 0, JSON.stringify(finished.answer));
}

export const temporalOlder = (stand: Stand): Promise<void> =>
  stand.start().then(() => openPaymentsGoOn(stand, () => stand.restore('temporal')));

export const temporalGone = (stand: Stand): Promise<void> =>
  stand.start().then(() => openPaymentsGoOn(stand, () => stand.remove('temporal')));

/** Temporal goes back furthest, the rows less, and the network is ahead of both. */
export async function bothOlder(stand: Stand): Promise<void> {
  await stand.start();
  const first = await paid(stand);
  await stand.stop();
  stand.backUp('temporal');
  await stand.start();
  const second = [await paid(stand), await create(stand)] as const;
  await stand.stop();
  stand.backUp('postgres');
  await stand.start();
  const third = [await paid(stand), await paid(stand)] as const;
  await refund(stand, third[0]);
  await refund(stand, second[0]);
  assert.equal((await payWith(stand, second[1])).status, 200);
  second[1].captured = 1;
  await stand.stop();
  stand.restore('temporal');
  stand.restore('postgres');
  await stand.start();
  await sleep(3_000);

  const found = await stand.admin(['restore', 'check']);
  assert.equal(found.code, 3, found.error);
  assert.deepEqual(idsOf(found.answer['missingPayments']), third.map(({ id }) => id).toSorted());
  assert.deepEqual(found.answer['rowsOlderThan'], [second[1].id]);
  assert.equal((found.answer['missingRefunds'] as string[]).length, 2);
  await eventually(
    'writes are held',
    async () => ((await stand.shop.create()).status === 503 ? true : undefined),
    10_000,
  );
  const finished = await stand.admin(['restore', 'finish']);
  assert.equal(finished.code, 0, `${finished.error} ${JSON.stringify(finished.answer)}`);
  await eventually(
    'writes are accepted',
    async () => ((await stand.ready()).body['restored'] === undefined ? true : undefined),
    10_000,
  );
  await expectWhole(stand, [first, ...second, ...third]);
  assert.notEqual((await stand.admin(['restore', 'check'])).answer['missingPayments'], undefined);
  await paid(stand);
}
