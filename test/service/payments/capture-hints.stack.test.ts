import { randomUUID } from 'node:crypto';
import { dueCaptureHints, scheduleCaptureRead } from '../../../src/db/payments/capture-hints.ts';
import { recordUnexpectedCapture } from '../../../src/db/payments/unexpected-captures.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let merchantId: string;
beforeAll(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
});
afterAll(() => database.end());

/** Creates a payment whose first attempt is in this state, and reports its capture as a provider does. */
async function reportedCapture(status: string, answer: string | null) {
  const [id = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 60 });
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, claimed_at, answer)
     VALUES ($1, 1, $2, 'card', $3, now(), now(), $4)`,
    [id, status, randomUUID(), answer],
  );
  await scheduleCaptureRead(database, id, { attemptNo: 1, providerReference: null });
  const dueAfter = async (seconds: number): Promise<boolean> => {
    const due = await dueCaptureHints(database, new Date(Date.now() + seconds * 1_000), 100);
    return due.some(({ paymentId }) => paymentId === id);
  };
  const reading = (await dueAfter(5)) ? 'at once' : (await dueAfter(60)) ? 'later' : 'never';
  const recorded = await recordUnexpectedCapture(database, id, {
    attemptNo: 1,
    amountCents: 2500,
    currency: 'USD',
    providerReference: 'ch_1',
    capturedAt: null,
  });
  return { reading, isRecorded: recorded !== null };
}

describe('a capture that a provider reports', () => {
  it.each([
    ['processing', null],
    ['processing', 'captured'],
    ['requiresAction', 'requires_action'],
  ])('is left to the workflow first while the attempt is %s with the answer %s', async (status, answer) => {
    expect(await reportedCapture(status, answer)).toEqual({ reading: 'later', isRecorded: false });
  });

  it('needs no read for a paid attempt', async () => {
    expect(await reportedCapture('paid', 'captured')).toEqual({ reading: 'never', isRecorded: false });
  });

  it.each([
    ['processing', 'declined'],
    ['processing', 'not_sent'],
    ['requiresAction', 'voided'],
  ])('is unexpected once the answer of an attempt that is %s is %s', async (status, answer) => {
    expect(await reportedCapture(status, answer)).toEqual({ reading: 'at once', isRecorded: true });
  });
});
