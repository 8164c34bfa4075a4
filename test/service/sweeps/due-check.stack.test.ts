import { collectionsAreDue } from '../../../src/db/mail/mail-collection.ts';
import { mailsAreDue } from '../../../src/db/mail/mails.ts';
import { disputeHintsAreDue, disputesAreDue } from '../../../src/db/disputes/dispute-checks.ts';
import { endingCapturesAreDue } from '../../../src/db/payments/capture-access.ts';
import { captureHintsAreDue } from '../../../src/db/payments/capture-hints.ts';
import { capturedCardsAreDue } from '../../../src/db/payments/captured-cards.ts';
import { paymentsAreDue } from '../../../src/db/payments/payment-checks.ts';
import { runsAreDue } from '../../../src/db/reconciliation/runs.ts';
import { refundHintsAreDue } from '../../../src/db/refunds/provider-refund-hints.ts';
import { pendingRefundsAreDue, succeededRefundsAreDue } from '../../../src/db/refunds/refund-checks.ts';
import { auditCopiesAreDue } from '../../../src/db/server/audit-copies.ts';
import { createDatabaseClock } from '../../../src/db/server/database-clock.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import type { DueCondition } from '../../../src/db/server/due-work.ts';
import { leftoverKinds, leftoversAreDue } from '../../../src/db/server/leftovers.ts';
import { listChangesAreDue } from '../../../src/db/server/list-counts.ts';
import { takeTerm } from '../../../src/db/server/sweep-leaders.ts';
import { deliveriesAreDue } from '../../../src/db/webhooks/deliveries.ts';
import { sealsAreDue } from '../../../src/db/webhooks/event-seals.ts';
import { createDueCheck } from '../../../src/sweeps/due-check.ts';
import { createTestLogger } from '../../support/logger.ts';
import {
  endpointOfMany,
  manyDeliveries,
  manyDisputes,
  manyPayments,
  manyRefunds,
  ownerOfMany,
} from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let merchantId: string;
let term: number;
beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  term = await takeTerm(database, 'payments', 'test');
});
afterEach(() => database.end());

function dueCheckOf(lines: string[] = []) {
  const clock = createDatabaseClock(database);
  const checkDue = createDueCheck(clock, createTestLogger(lines));
  return {
    clock,
    checkDue: (conditions: readonly DueCondition[]) => checkDue({ role: 'payments', term }, conditions),
  };
}

const faultMs = { notStarted: 15_000, overdue: 30_000, underWay: 25_000 };
const conditions: Readonly<Record<string, DueCondition>> = {
  payments: paymentsAreDue(faultMs),
  endingCapturesAreDue,
  capturedCardsAreDue,
  captureHintsAreDue,
  pendingRefundsAreDue,
  succeededRefundsAreDue,
  refundHintsAreDue,
  disputesAreDue,
  disputeHintsAreDue,
  deliveriesAreDue,
  seals: sealsAreDue(10),
  copiesToLog: auditCopiesAreDue(10, false),
  copiesToSink: auditCopiesAreDue(10, true),
  collectionsAreDue,
  mails: mailsAreDue(false),
  failingMails: mailsAreDue(true),
  runsAreDue,
  listChangesAreDue,
  ...Object.fromEntries(leftoverKinds.map((kind) => [`aged ${kind}`, leftoversAreDue(kind)])),
};
async function due(): Promise<string[]> {
  const isDue = await dueCheckOf().checkDue(Object.values(conditions));
  return Object.keys(conditions).filter((name) => isDue(conditions[name] ?? { sql: 'false' }));
}

it('finds nothing due without rows, and sets the clock', async () => {
  const lines: string[] = [];
  const { checkDue, clock } = dueCheckOf(lines);
  const isDue = await checkDue(Object.values(conditions));
  expect(Object.values(conditions).filter(isDue)).toEqual([]);
  expect(lines).toEqual([]);
  const { rows } = await database.query<{ at: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
  );
  expect(Math.abs(clock.now() - (rows[0]?.at ?? 0))).toBeLessThan(1_000);
});

it.each([
  ['is not started', { ageSeconds: 20, started: false }, true],
  ['was just created', { ageSeconds: 10, started: false }, false],
  ['is past its deadline', { ageSeconds: 1_840 }, true],
  ['is at its deadline', { ageSeconds: 1_820 }, false],
])('a payment that %s', async (_title, payment, isExpected) => {
  await manyPayments(database, merchantId, { count: 1, ...payment });
  expect((await due()).includes('payments')).toBe(isExpected);
});

it.each([
  ['is in flight', 26, null, true],
  ['just began', 20, null, false],
  ['has an answer', 20, 'captured', true],
])('an attempt that %s', async (_title, ageSeconds, answer, isExpected) => {
  const [id] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 60 });
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, started_at, answer)
     VALUES ($1, 1, 'processing', 'card', now() - $2 * interval '1 second', $3)`,
    [id, ageSeconds, answer],
  );
  expect((await due()).includes('payments')).toBe(isExpected);
});

it('finds each kind of work that is due', async () => {
  const [id = '', other = '', third = ''] = await manyPayments(database, merchantId, {
    ...{ count: 3, ageSeconds: 86_400, final: true },
  });
  await manyRefunds(database, [id], 'pending');
  await manyRefunds(database, [other], 'succeeded');
  await database.query(`UPDATE refunds SET next_check_at = now() WHERE status = 'succeeded'`);
  await manyDisputes(database, merchantId, { paymentId: id, count: 1, overSeconds: 60 });
  await database.query('UPDATE disputes SET next_check_at = now()');
  await manyDeliveries(database, await endpointOfMany(database, merchantId), { count: 1, overSeconds: 60 });
  const { rows: events } = await database.query<{ id: string }>('SELECT id FROM events');
  await database.query(
    `UPDATE webhook_deliveries SET status = 'pending', ended_at = NULL, next_check_at = now()`,
  );
  for (const statement of [
    `INSERT INTO capture_access (payment_id, status, ends_at, next_check_at)
     VALUES ($1, 'ending', now(), now()), ($2, 'registered', now() - interval '2 minutes', now())`,
    `INSERT INTO captured_cards (payment_id, next_check_at) SELECT unnest(ARRAY[$1, $2]::uuid[]), now()`,
    `INSERT INTO provider_refund_hints (payment_id, next_check_at) SELECT unnest(ARRAY[$1, $2]::uuid[]), now()`,
    `INSERT INTO capture_hints (key, payment_id, attempt_no, next_check_at)
     SELECT id || ':1', id, 1, now() FROM unnest(ARRAY[$1, $2]::uuid[]) AS id`,
    `INSERT INTO dispute_hints (id, provider_reference, payment_id, next_check_at)
     SELECT id, 'dp_1', id, now() FROM unnest(ARRAY[$1, $2]::uuid[]) AS id`,
  ]) {
    await database.query(statement, [id, third]);
  }
  await database.query(
    `INSERT INTO reconciliation_runs (id, merchant_id, environment, span_from, span_to, progressed_at)
     VALUES (gen_random_uuid(), $1, 'sandbox', now() - interval '1 day', now(), '-infinity')`,
    [merchantId],
  );
  const isAged = (name: string): boolean => name.startsWith('aged ') && name !== 'aged captureSecrets';
  const found = (await due()).filter((name) => !isAged(name));
  const withoutRows = [
    'payments',
    'copiesToLog',
    'copiesToSink',
    'collectionsAreDue',
    'mails',
    'failingMails',
  ];
  expect(events).toHaveLength(1);
  expect(found).toEqual(
    Object.keys(conditions).filter((name) => !isAged(name) && !withoutRows.includes(name)),
  );
});

it('finds mails, and audit logs to copy', async () => {
  await database.query(
    `INSERT INTO mail_settings (merchant_id, environment, host, port, from_address, url_sealed, set_at,
       event_position, looked_at, next_try_at, failures)
     SELECT $1, e.name, 'mail.example', 25, 'a@b.example', '\\x00', now(), 0, now() - interval '1 minute', now(),
       e.failures FROM (VALUES ('sandbox', 0), ('live', 1)) AS e (name, failures)`,
    [merchantId],
  );
  expect(await due()).toEqual(['collectionsAreDue']);
  await database.query(
    `INSERT INTO mails (id, merchant_id, environment, kind, cause, recipient, content_sealed)
     SELECT gen_random_uuid(), $1, e, 'invitation', e, 'c@d.example', '\\x00' FROM unnest(ARRAY['sandbox', 'live']) AS e`,
    [merchantId],
  );
  expect(await due()).toEqual(['collectionsAreDue', 'mails', 'failingMails']);
  await database.query('DELETE FROM mails');
  await database.query('UPDATE mail_settings SET looked_at = now()');
  await database.query(
    `INSERT INTO audit_heads (merchant_id, sequence, hash) VALUES ($1, 3, '\\x00')
     ON CONFLICT (merchant_id) DO UPDATE SET sequence = 3`,
    [merchantId],
  );
  expect(await due()).toEqual(['copiesToLog', 'copiesToSink']);
  await database.query('UPDATE audit_copies SET logged_sequence = 2, logged_at = now()');
  expect(await due()).toEqual(['copiesToSink']);
});

it('counts everything as due when PostgreSQL refuses a condition, and logs it', async () => {
  const lines: string[] = [];
  const isDue = await dueCheckOf(lines).checkDue([listChangesAreDue, { sql: 'no_such_column' }]);
  expect(isDue(listChangesAreDue)).toBe(true);
  expect(lines).toEqual([expect.stringContaining('what is due could not be read')]);
});

it('is refused once another process has begun a term', async () => {
  await takeTerm(database, 'payments', 'other');
  await expect(dueCheckOf().checkDue([listChangesAreDue])).rejects.toMatchObject({ code: 'CP001' });
});
