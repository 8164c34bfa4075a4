import { restoreAttemptRows } from '../../../src/db/payments/lost-attempts.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
});
afterAll(() => database.end());

/** Restores a declined and an open attempt of a payment that was created this long ago. */
async function restored(ageSeconds: number) {
  const [paymentId = ''] = await manyPayments(database, await ownerOfMany(database), {
    count: 1,
    ageSeconds,
  });
  await database.query('UPDATE payments SET finalized_at = NULL WHERE id = $1', [paymentId]);
  const before = { failureCode: 'declined', failureMessage: null, card: null, providerReference: null };
  const isRestored = await restoreAttemptRows(database, {
    paymentId,
    open: { attemptNo: 2, providerReference: null },
    ended: [{ attemptNo: 1, status: 'declined', ...before }],
    unsent: [],
    method: 'card',
    seq: 0,
    stateSeq: 0,
  });
  expect(isRestored).toBe(true);
  const { rows } = await database.query<{ isInTime: boolean; follows: boolean; isRecent: boolean }>(
    `SELECT bool_and(a.started_at <= p.expires_at) AS "isInTime",
       max(a.resolved_at) <= max(a.started_at) AS follows,
       min(a.started_at) > now() - interval '1 minute' AS "isRecent"
     FROM attempts a JOIN payments p ON p.id = a.payment_id WHERE p.id = $1 GROUP BY p.id`,
    [paymentId],
  );
  return rows[0];
}

describe('attempts whose rows were lost', () => {
  it('began by the deadline, one after the other, also where they are restored after it', async () => {
    expect(await restored(7_200)).toEqual({ isInTime: true, follows: true, isRecent: false });
  });

  it('began by now, where the deadline is still to come', async () => {
    expect(await restored(60)).toEqual({ isInTime: true, follows: true, isRecent: true });
  });
});
