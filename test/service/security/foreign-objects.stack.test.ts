import { randomUUID } from 'node:crypto';
import { storeListedDisputes } from '../../../src/db/disputes/dispute-checks.ts';
import { disputeIdOf, recordDispute } from '../../../src/db/disputes/disputes.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { restoreRefund } from '../../../src/db/refunds/restored-refunds.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

/** The metadata of an object at a merchant's own account can name the payment of any other merchant. */
let database: Database;
let owner: string;
let stranger: string;
let paid: string;
beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  owner = await ownerOfMany(database);
  stranger = await ownerOfMany(database);
  [paid = ''] = await manyPayments(database, owner, { count: 1, ageSeconds: 60, final: true });
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, claimed_at, answer)
     VALUES ($1, 1, 'paid', 'card', $2, now(), now(), 'captured')`,
    [paid, randomUUID()],
  );
});
afterEach(() => database.end());

describe('a refund that the network lists and the rows lack', () => {
  const restoreFor = (merchantId: string, connectorId: string | null) =>
    inTransaction(database, (transaction) =>
      restoreRefund(
        transaction,
        {
          id: randomUUID(),
          paymentId: paid,
          amountCents: 500,
          status: 'succeeded',
          createdAt: new Date(),
          owner: { merchantId, environment: 'sandbox', connectorId },
        },
        byOperator(),
      ),
    );
  const refundsOf = async () => (await database.query('SELECT FROM refunds')).rowCount;

  it("is not restored at another merchant's payment, nor at a payment of another account", async () => {
    expect(await restoreFor(stranger, null)).toBe('foreign');
    expect(await restoreFor(owner, randomUUID())).toBe('foreign');
    expect(await refundsOf()).toBe(0);
  });

  it('is restored at a payment of its own account', async () => {
    expect(await restoreFor(owner, null)).toBe('written');
    expect(await refundsOf()).toBe(1);
  });
});

describe('a dispute that a network lists', () => {
  const list = async (from: { connectorId: string | null; environment: 'sandbox' | 'live' }) => {
    const reference = `dp_${randomUUID()}`;
    const dispute = { id: disputeIdOf(reference), reference, paymentId: paid, reported: null };
    const page = { disputes: [dispute], cursor: reference };
    return storeListedDisputes(database, { provider: 'of the test', ...from }, page, new Date());
  };

  it('is followed only at the account with which its payment was made', async () => {
    expect(await list({ connectorId: randomUUID(), environment: 'sandbox' })).toBe(0);
    expect(await list({ connectorId: null, environment: 'live' })).toBe(0);
    expect(await list({ connectorId: null, environment: 'sandbox' })).toBe(1);
  });
});

describe('a dispute of a payment that is not paid', () => {
  const recordFor = (paymentId: string) =>
    inTransaction(database, (transaction) =>
      recordDispute(
        transaction,
        {
          providerReference: `dp_${randomUUID()}`,
          paymentId,
          connectorId: null,
          environment: 'sandbox',
          chargeReference: null,
          amountCents: 2500,
          reason: 'fraudulent',
          stage: 'chargeback',
          status: 'needsResponse',
          resolution: null,
          evidenceDueAt: null,
          createdAt: new Date(),
        },
        new Date(),
      ),
    );

  it('comes too early while the payment is open, and belongs to no payment once it is final', async () => {
    const [open = ''] = await manyPayments(database, owner, { count: 1, ageSeconds: 60 });
    expect(await recordFor(open)).toBe('too_early');
    await database.query(
      `UPDATE payments SET checkout_status = 'expired', terminal_reason = 'checkout_expired', finalized_at = now()
       WHERE id = $1`,
      [open],
    );
    expect(await recordFor(open)).toBe('never_paid');
  });
});
