import { rm } from 'node:fs/promises';
import { readReport } from '../../../src/db/merchants/reports.ts';
import { listMovements, type MovementFilter } from '../../../src/db/movements/movements.ts';
import { recordProviderMovements } from '../../../src/db/movements/provider-movements.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import type { MovementRecord } from '../../../src/domain/movement.ts';
import { ownerOfMany } from '../../support/many-rows.ts';
import { migrationsBefore } from '../../support/migrations.ts';
import { plantAttempt, plantDispute, plantPayment, plantRefund } from '../../support/planted-money.ts';
import { emptyDatabase } from '../../support/world.ts';

const timeZone = 'America/Sao_Paulo';

let database: Database;
let merchantId: string;
/** The payments, by the test's own names. */
const payments = new Map<string, string>();

const plant = async (name: string, ...[of]: [Parameters<typeof plantPayment>[2]]): Promise<string> => {
  const id = await plantPayment(database, merchantId, of);
  payments.set(name, id);
  return id;
};

/** Inserts what the previous version stored of an invented March. */
async function plantMarch(): Promise<void> {
  // 28 February in São Paulo.
  await plant('february', { at: '2026-03-01T02:30:00Z' });
  const returned = await plant('returned', { at: '2026-03-10T12:00:00Z', amountCents: 4000, method: 'pix' });
  await plantRefund(database, returned, { at: '2026-03-12T12:00:00Z', amountCents: 1500 });
  await plantRefund(database, returned, { at: null, amountCents: 100 });
  await plantRefund(database, returned, {
    at: '2026-03-13T12:00:00Z',
    amountCents: 500,
    failedAt: '2026-04-20T12:00:00Z',
  });
  await plantRefund(database, returned, { at: null, amountCents: 200, failedAt: '2026-03-14T12:00:00Z' });
  const lost = await plant('lost', { at: '2026-03-15T12:00:00Z', amountCents: 6000 });
  await plantDispute(database, lost, {
    at: '2026-03-20T12:00:00Z',
    ended: { status: 'lost', at: '2026-04-05T12:00:00Z' },
  });
  const won = await plant('won', { at: '2026-03-16T12:00:00Z' });
  await plantDispute(database, won, {
    at: '2026-03-21T12:00:00Z',
    ended: { status: 'won', at: '2026-03-28T12:00:00Z' },
  });
  await plantDispute(database, won, { at: '2026-03-22T12:00:00Z', stage: 'inquiry' });
  const taken = await plant('taken anyway', { at: '2026-03-24T12:00:00Z', status: 'declined' });
  await database.query(
    `INSERT INTO unexpected_captures (payment_id, attempt_no, merchant_id, environment, amount_cents, currency,
       provider_reference, captured_at, found_at)
     VALUES ($1, 1, $2, 'sandbox', 2600, 'USD', 'ch_1', '2026-03-25T12:00:00Z', '2026-03-25T13:00:00Z')`,
    [taken, merchantId],
  );
  // 31 March in São Paulo.
  await plant('late', { at: '2026-04-01T01:00:00Z', amountCents: 3000, method: 'wallet', late: true });
  await plant('noticed', { at: '2026-03-30T12:00:00Z', amountCents: 7000, status: 'declined' });
  await plantPayment(database, await ownerOfMany(database), { at: '2026-03-10T12:00:00Z' });
}

/** The expected list: day, type, cents, payment, and the type of the movement that it follows from. */
const march = [
  ['2026-03-10', 'captured', 4000, 'returned', null],
  ['2026-03-12', 'refunded', -1500, 'returned', 'captured'],
  ['2026-03-13', 'refunded', -500, 'returned', 'captured'],
  ['2026-03-15', 'captured', 6000, 'lost', null],
  ['2026-03-16', 'captured', 2500, 'won', null],
  ['2026-03-20', 'disputed', -6000, 'lost', 'captured'],
  ['2026-03-21', 'disputed', -2500, 'won', 'captured'],
  ['2026-03-25', 'late', 2600, 'taken anyway', null],
  ['2026-03-28', 'dispute_won', 2500, 'won', 'disputed'],
  ['2026-03-31', 'late', 3000, 'late', null],
];
const others = [
  ['2026-02-28', 'captured', 2500, 'february', null],
  ['2026-04-05', 'dispute_lost', 0, 'lost', 'disputed'],
  ['2026-04-20', 'refund_failed', 500, 'returned', 'refunded'],
];

const tenant = () => ({ merchantId, environment: 'sandbox' as const });
const everything: MovementFilter = { type: null, paymentId: null, from: null, until: null };

/** Returns the whole list, oldest first, read in pages of four. */
async function listed(filter: Partial<MovementFilter> = {}): Promise<MovementRecord[]> {
  const all: MovementRecord[] = [];
  let after: Awaited<ReturnType<typeof listMovements>>['next'] = null;
  do {
    const page = await listMovements(database, tenant(), { ...everything, ...filter }, after, 4);
    all.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return all.toReversed();
}

async function lines(filter: Partial<MovementFilter> = {}): Promise<unknown[][]> {
  const all = await listed();
  const nameOf = (id: string | null) => [...payments].find(([, known]) => known === id)?.[0];
  return (await listed(filter)).map(({ bookedOn, type, amountCents, paymentId, followsFrom }) => [
    bookedOn,
    type,
    amountCents,
    nameOf(paymentId),
    all.find(({ id }) => id === followsFrom)?.type ?? null,
  ]);
}

const inMarch = { from: new Date('2026-03-01T00:00:00Z'), until: new Date('2026-04-01T00:00:00Z') };
const reportOf = (zone: string) =>
  readReport(database, tenant(), {
    from: new Date('2026-03-01T03:00:00Z'),
    until: new Date('2026-04-01T03:00:00Z'),
    timeZone: zone,
    by: 'month',
  });
const marchReport = [
  { name: '2026-03', paid: 5, failed: 0, takenCents: 18_100, refundedCents: 2000, disputedCents: 6000 },
];

beforeAll(async () => {
  const url = await emptyDatabase();
  const directory = await migrationsBefore('0033_movements');
  await migrate(url, { directory });
  await rm(directory, { recursive: true });
  database = openDatabase({ url, poolSize: 4, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  await database.query(
    `INSERT INTO merchant_settings (merchant_id, environment, methods, time_zone) VALUES ($1, 'sandbox', '{card}', $2)
     ON CONFLICT (merchant_id, environment) DO UPDATE SET time_zone = excluded.time_zone`,
    [merchantId, timeZone],
  );
  await plantMarch();
  await migrate(url);
});
afterAll(() => database.end());

it('has each movement of a made-up March once, under its own day', async () => {
  expect(await lines(inMarch)).toEqual(march);
  expect(await reportOf(timeZone)).toEqual(marchReport);
});

it('has what happened before and after it in its own month', async () => {
  expect(await lines()).toEqual(
    [...march, ...others].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
});

it('has instant, method and reference of the movement itself', async () => {
  const [taken] = await listed({ paymentId: payments.get('returned') ?? '', type: 'captured' });
  expect(taken).toMatchObject({
    method: 'pix',
    providerReference: `${payments.get('returned')}:1`,
    occurredAt: new Date('2026-03-10T12:00:00Z'),
    bookedAt: new Date('2026-03-10T12:00:00Z'),
  });
});

it('refuses to change, delete or empty them, also to the owner', async () => {
  for (const statement of [
    'UPDATE movements SET amount_cents = 1',
    'DELETE FROM movements',
    'TRUNCATE movements',
  ])
    await expect(database.query(statement)).rejects.toMatchObject({ code: '42501' });
});

it('counts money of a closed month that is noticed later in the month of notice, once', async () => {
  const id = payments.get('noticed') ?? '';
  for (let turn = 0; turn < 2; turn += 1) {
    await database.query(
      `UPDATE attempts SET status = 'paid', answer = 'captured', captured_at = '2026-03-30T12:00:00Z'
       WHERE payment_id = $1`,
      [id],
    );
  }
  const noticed = await listed({ paymentId: id });
  expect(noticed).toMatchObject([{ occurredAt: new Date('2026-03-30T12:00:00Z'), amountCents: 7000 }]);
  expect(noticed[0]?.bookedAt.getTime()).toBeGreaterThan(Date.parse('2026-11-01T00:00:00Z'));
  expect(await lines(inMarch)).toEqual(march);
  expect(await reportOf(timeZone)).toEqual(marchReport);
});

it('counts money of the present month under its own instant, and the same money once', async () => {
  const at = new Date(Date.now() - 60_000);
  const id = await plant('now', { at: at.toISOString(), status: 'declined' });
  await database.query(
    `INSERT INTO unexpected_captures (payment_id, attempt_no, merchant_id, environment, amount_cents, currency,
       provider_reference, captured_at, found_at) VALUES ($1, 1, $2, 'sandbox', 2500, 'USD', 'ch_2', $3, now())`,
    [id, merchantId, at],
  );
  await database.query('DELETE FROM attempts WHERE payment_id = $1', [id]);
  await plantAttempt(database, id, { at: at.toISOString() });
  expect(await listed({ paymentId: id })).toMatchObject([{ occurredAt: at, bookedAt: at, type: 'late' }]);
});

it('has fees and payouts that a provider lists, once, and none of the charges of others', async () => {
  const id = await plant('with a fee', { at: new Date().toISOString() });
  const other = await plantPayment(database, await ownerOfMany(database), { at: new Date().toISOString() });
  for (const [payment, reference] of [
    [id, 'pi_own'],
    [other, 'pi_other'],
  ])
    await database.query('UPDATE attempts SET provider_reference = $2 WHERE payment_id = $1', [
      payment,
      reference,
    ]);
  const before = await reportOf(timeZone);
  const at = { currency: 'USD', createdAtMs: Date.now() - 1_000 };
  const fee = { ...at, kind: 'fee', amountCents: -103 } as const;
  for (let turn = 0; turn < 2; turn += 1) {
    await recordProviderMovements(database, tenant(), [
      { ...fee, reference: 'txn_1', chargeReference: 'pi_own' },
      { ...fee, reference: 'txn_2', chargeReference: 'pi_other' },
      { ...fee, reference: 'txn_3', chargeReference: 'pi_unknown' },
      { ...at, kind: 'payout', amountCents: -900, reference: 'txn_4', chargeReference: null },
    ]);
  }
  const [captured] = await listed({ paymentId: id, type: 'captured' });
  expect(await listed({ type: 'fee' })).toMatchObject([
    { amountCents: -103, paymentId: id, providerReference: 'txn_1', followsFrom: captured?.id },
  ]);
  expect(await listed({ type: 'payout' })).toMatchObject([
    { amountCents: -900, paymentId: null, providerReference: 'txn_4', followsFrom: null },
  ]);
  expect(await reportOf(timeZone)).toEqual(before);
});

it('follows a dispute through its stages, so that its sum is what is withdrawn', async () => {
  const id = await plant('stages', { at: new Date().toISOString() });
  const dispute = await plantDispute(database, id, { at: new Date().toISOString(), stage: 'inquiry' });
  const sums: (string | number)[][] = [];
  for (const change of [
    `stage = 'chargeback'`,
    `status = 'underReview'`,
    `amount_cents = 2000`,
    `status = 'lost', resolution = 'decided', closed_at = now()`,
    `status = 'lost'`,
    `stage = 'preArbitration', status = 'needsResponse', resolution = NULL, closed_at = NULL, reopened_at = now()`,
    `status = 'won', resolution = 'decided', closed_at = now()`,
    `status = 'lost'`,
  ]) {
    await database.query(`UPDATE disputes SET ${change} WHERE id = $1`, [dispute]);
    const all = await listed({ paymentId: id });
    const last = all.find((one) => !all.some(({ followsFrom }) => followsFrom === one.id));
    sums.push([last?.type ?? '', all.reduce((sum, { amountCents }) => sum + amountCents, 0)]);
  }
  expect(sums).toEqual([
    ['disputed', 0],
    ['disputed', 0],
    ['disputed', 500],
    ['dispute_lost', 500],
    ['dispute_lost', 500],
    ['dispute_lost', 500],
    ['dispute_won', 2500],
    ['dispute_lost', 500],
  ]);
});

it('keeps a closed month when the merchant chooses another time zone', async () => {
  await database.query(`UPDATE merchant_settings SET time_zone = 'UTC' WHERE merchant_id = $1`, [merchantId]);
  expect(await lines(inMarch)).toEqual(march);
  const utc = await readReport(database, tenant(), { ...inMarch, timeZone: 'UTC', by: 'month' });
  expect(utc).toEqual(marchReport);
});
