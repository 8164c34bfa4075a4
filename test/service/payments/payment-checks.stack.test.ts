import {
  duePayments,
  endPaymentChecks,
  schedulePaymentCheckSoon,
  recordPaymentChecks,
} from '../../../src/db/payments/payment-checks.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let id: string;
beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  const [made = ''] = await manyPayments(database, await ownerOfMany(database), { count: 1, ageSeconds: 60 });
  id = made;
  await database.query(
    `INSERT INTO payment_checks (payment_id, next_check_at) VALUES ($1, clock_timestamp() - interval '1 minute')`,
    [id],
  );
});
afterEach(() => database.end());

/** Returns the time at which the batch with the payment is read. */
async function readBatch(): Promise<Date> {
  const { rows } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const now = rows[0]?.now ?? new Date(0);
  expect((await duePayments(database, now, 10)).map((due) => due.id)).toEqual([id]);
  return now;
}
const scheduled = async (): Promise<{ at: Date; checks: number }[]> =>
  (
    await database.query<{ at: Date; checks: number }>(
      'SELECT next_check_at AS at, checks FROM payment_checks WHERE payment_id = $1',
      [id],
    )
  ).rows;
const checkAt = (at: Date) => [{ id, at, failures: 0, checks: 1, errorCode: null }];

describe('a change that is expected while the payment is being checked', () => {
  it('is checked after it, where the check found nothing more to do', async () => {
    const readAt = await readBatch();
    await schedulePaymentCheckSoon(database, id);
    const [expected] = await scheduled();
    expect(expected?.at.getTime()).toBeGreaterThan(readAt.getTime());
    expect(await endPaymentChecks(database, [id], readAt)).toEqual([]);
    expect(await scheduled()).toEqual([expected]);
  });

  it('is checked no later than expected, where the check is repeated', async () => {
    const readAt = await readBatch();
    await schedulePaymentCheckSoon(database, id);
    const [expected] = await scheduled();
    await recordPaymentChecks(database, checkAt(new Date(readAt.getTime() + 600_000)), readAt);
    expect(await scheduled()).toEqual([expected]);
  });
});

it('a check that nothing was expected beside is ended or repeated', async () => {
  const readAt = await readBatch();
  const next = new Date(readAt.getTime() + 600_000);
  await recordPaymentChecks(database, checkAt(next), readAt);
  expect(await scheduled()).toEqual([{ at: next, checks: 1 }]);
  // A change that is expected sooner than the next check brings it forward.
  await schedulePaymentCheckSoon(database, id);
  const [sooner] = await scheduled();
  expect(sooner?.at.getTime()).toBeLessThan(next.getTime());
  expect(await endPaymentChecks(database, [id], next)).toEqual([id]);
  expect(await scheduled()).toEqual([]);
});
