import { readFileSync } from 'node:fs';
import { type Database, openDatabase } from '../../src/db/server/database.ts';
import { migrateToRelease, releaseSchema } from '../support/release.ts';
import { describeSchema } from '../support/schema-description.ts';
import { emptyDatabase } from '../support/world.ts';

/** The schema that the 39 migrations before 0.1.0 made, as `describeSchema` returns it. */
const before = readFileSync(new URL('schema-before-squash.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const first = releaseSchema.parse(
  JSON.parse(readFileSync(new URL('0.1.0/release.json', import.meta.url), 'utf8')),
);

/** Names of before, and what they are since 0.1.0. */
const renames: Readonly<Record<string, string>> = {
  // Recovery checks.
  payment_looks: 'payment_checks',
  payment_looks_pkey: 'payment_checks_pkey',
  payment_looks_due: 'payment_checks_due',
  payment_looks_last_error_code_check: 'payment_checks_last_error_code_check',
  looks: 'checks',
  next_look_at: 'next_check_at',
  look_failures: 'check_failures',
  watched: 'check_scheduled',
  // What a provider reported.
  heard_disputes: 'dispute_hints',
  heard_disputes_pkey: 'dispute_hints_pkey',
  heard_disputes_due: 'dispute_hints_due',
  heard_refunds: 'provider_refund_hints',
  heard_refunds_pkey: 'provider_refund_hints_pkey',
  heard_refunds_due: 'provider_refund_hints_due',
  // Claims and leases of attempts.
  sent_at: 'claimed_at',
  acted_on_until: 'action_leased_until',
  // Functions and triggers.
  tell_key_changes: 'notify_key_changes',
  note_list_change: 'record_list_change',
  note_email_term: 'record_email_term',
  note_attempt_term: 'record_attempt_term',
  keep_payment_version: 'record_payment_version',
  keep_first_unknown: 'record_first_unknown',
  place_event: 'assign_event_position',
  events_place: 'events_assign_position',
  audit_entries_stay: 'audit_entries_append_only',
  audit_entries_are_not_emptied: 'audit_entries_no_truncate',
  // Constraints that PostgreSQL had named.
  payments_connector: 'payments_connector_id_fkey',
  keyed_answers_pkey: 'idempotency_responses_pkey',
  keyed_answers_merchant_id_operation_key_fkey: 'idempotency_responses_merchant_id_operation_key_fkey',
  merchant_branding_check: 'merchant_branding_whole_logo',
  sign_in_links_check: 'sign_in_links_one_purpose',
  payments_check: 'payments_refunded_within_amount',
  payments_check1: 'payments_reason_of_expired',
  payments_check2: 'payments_failure_of_failed',
  payments_check3: 'payments_capture_before_end',
  refunds_check: 'refunds_canceled_unsent',
  refunds_check1: 'refunds_failure_of_failed',
  disputes_check: 'disputes_closed_with_outcome',
  disputes_check1: 'disputes_resolution_of_closed',
  webhook_endpoints_check: 'webhook_endpoints_reason_of_disabled',
  list_counts_check: 'list_counts_aligned',
};

/**
 * Beginnings of the lines that are gone: the counters of lists that are read by cursor, and an unread column.
 */
const dropped = [
  'column connectors.hosted_cards ',
  'function CREATE OR REPLACE FUNCTION deliveries_of(',
  'function CREATE OR REPLACE FUNCTION delivery_page(',
  'function CREATE OR REPLACE FUNCTION due_page(',
  'function CREATE OR REPLACE FUNCTION event_page(',
  'function CREATE OR REPLACE FUNCTION filtered_types(',
  'function CREATE OR REPLACE FUNCTION log_page(',
  'function CREATE OR REPLACE FUNCTION note_delivery_change(',
  'function CREATE OR REPLACE FUNCTION note_due_change(',
  'function CREATE OR REPLACE FUNCTION note_event_change(',
  'function CREATE OR REPLACE FUNCTION statuses_page(',
  'trigger CREATE TRIGGER list_due AFTER INSERT OR DELETE ON disputes ',
  'trigger CREATE TRIGGER list_due_changes AFTER UPDATE OF status, evidence_due_at ON disputes ',
  'trigger CREATE TRIGGER list_row_changes AFTER UPDATE OF status ON webhook_deliveries ',
  'trigger CREATE TRIGGER list_rows AFTER INSERT OR DELETE ON events ',
  'trigger CREATE TRIGGER list_rows AFTER INSERT OR DELETE ON webhook_deliveries ',
];

/**
 * Beginnings of the lines that are written anew: the functions of counted lists take one status again, as
 * they did before lists of several were counted, and a constraint is valid for all rows.
 */
const rewritten = [
  'constraint audit_entries.audit_entries_actor_kind_check ',
  'function CREATE OR REPLACE FUNCTION count_listed(',
  'function CREATE OR REPLACE FUNCTION find_listed(',
  'function CREATE OR REPLACE FUNCTION list_page(',
];

const beginsWith =
  (beginnings: readonly string[]) =>
  (line: string): boolean =>
    beginnings.some((beginning) => line.startsWith(beginning));

const renamed = (line: string): string => line.replaceAll(/\w+/g, (name) => renames[name] ?? name);

let database: Database;
beforeAll(async () => {
  const url = await emptyDatabase();
  await migrateToRelease(url, first);
  database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
});
afterAll(() => database.end());

it('the migrations of 0.1.0 make what the 39 before them made, except for what is named here', async () => {
  const now = await describeSchema(database);
  const expected = before.filter((line) => !beginsWith([...dropped, ...rewritten])(line)).map(renamed);
  expect(now.filter((line) => !beginsWith(rewritten)(line)).toSorted()).toEqual(expected.toSorted());
  const countOf = (lines: readonly string[], beginning: string): number =>
    lines.filter((line) => line.startsWith(beginning)).length;
  for (const one of rewritten) expect([one, countOf(before, one), countOf(now, one)]).toEqual([one, 1, 1]);
  // No name in the lists above is one that the schema of before did not have.
  for (const one of dropped) expect([one, countOf(before, one)]).toEqual([one, 1]);
  const names = new Set(before.flatMap((line) => line.match(/\w+/g) ?? []));
  expect(Object.keys(renames).filter((name) => !names.has(name))).toEqual([]);
});

it('the description shows every kind of change', async () => {
  const whole = await describeSchema(database);
  for (const change of [
    'ALTER TABLE payments ALTER COLUMN cancel_url DROP NOT NULL',
    'ALTER TABLE payments ALTER COLUMN attempts_left SET DEFAULT 4',
    'ALTER TABLE refunds DROP CONSTRAINT refunds_canceled_unsent',
    'DROP INDEX events_age',
    'ALTER TABLE attempts DISABLE ROW LEVEL SECURITY',
    'DROP POLICY own_rows ON refunds',
    'REVOKE SELECT ON events FROM card_payments_tenant',
    'GRANT SELECT (secret_hash) ON api_keys TO card_payments_tenant',
    'DROP TRIGGER payments_terms ON payments',
    `CREATE OR REPLACE FUNCTION is_own_merchant(merchant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
       RETURN true`,
    'CREATE TABLE more (id integer)',
    'ALTER TABLE rate_limits SET LOGGED',
  ]) {
    await database.query('BEGIN');
    await database.query(change);
    const changed = await describeSchema(database);
    await database.query('ROLLBACK');
    expect([change, changed.join('\n') === whole.join('\n')]).toEqual([change, false]);
  }
});
