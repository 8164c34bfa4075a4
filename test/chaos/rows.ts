import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** The row of a payment. `isFinal`: only refunds and disputes can still change it. */
export interface PaymentRow {
  id: string;
  status: string;
  amountCents: number;
  refundedCents: number;
  checkoutStatus: string;
  attemptsLeft: number;
  isFinal: boolean;
  expiresAtMs: number;
  captureExpiresAtMs: number;
  /** Whether its merchant confirms its customer's steps itself. */
  confirmsSteps: boolean;
  /** When it became final, by its workflow's clock; null while it is not. */
  finalAtMs: number | null;
}

export interface AttemptRow {
  paymentId: string;
  attemptNo: number;
  status: string;
  startedAtMs: number;
  /** Null: no worker has claimed it. */
  claimedAtMs: number | null;
  /** Whether the customer had a step to complete. */
  hasAction: boolean;
  /** The provider's answer as it is stored; null while there is none. */
  answer: string | null;
  /** Null while it is open. */
  endedAtMs: number | null;
}

export interface EventRow {
  id: string;
  paymentId: string;
  sequence: number;
  type: string;
  previousStatus: string | null;
  objectId: string;
  /** For `payment.paid`: the money came after the deadline. */
  isLate: boolean;
}

export interface RefundRow {
  id: string;
  paymentId: string;
  /** The network's id of the refund; null when the row does not have it. */
  reference: string | null;
  amountCents: number;
  status: string;
  /** Whether the service made it because the payment was paid after its deadline. */
  isOfLateSuccess: boolean;
}

export interface DisputeRow {
  id: string;
  paymentId: string;
  /** The network's id of the dispute. */
  reference: string;
  status: string;
  resolution: string | null;
  stage: string;
  amountCents: number;
  evidenceDueAtMs: number;
}

export interface MovementRow {
  paymentId: string;
  type: string;
  amountCents: number;
  refundId: string | null;
  disputeId: string | null;
  providerReference: string | null;
}

/** The rows of the service's tables for the payments of a schedule. */
export interface Rows {
  payments: PaymentRow[];
  attempts: AttemptRow[];
  events: EventRow[];
  refunds: RefundRow[];
  disputes: DisputeRow[];
  movements: MovementRow[];
  keys: { key: string; resourceId: string }[];
  /** Final payments whose capture secret still exists. */
  secrets: { paymentId: string }[];
  /** Payments for which the sweeps ever raised an alert. */
  alerted: { paymentId: string }[];
  /** Connections that are idle in a transaction. */
  idle: { pid: number }[];
}

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** More columns than the checks need, because they help to investigate a violation. */
const paymentColumns = `id, status, amount_cents::int AS "amountCents",
  refunded_cents::int AS "refundedCents", checkout_status AS "checkoutStatus",
  attempts_left AS "attemptsLeft", finalized_at IS NOT NULL AS "isFinal",
  ${ms('expires_at')} AS "expiresAtMs", ${ms('capture_expires_at')} AS "captureExpiresAtMs",
  ${ms('finalized_at')} AS "finalAtMs", ${ms('created_at')} AS "createdAtMs", currency, reference,
  metadata, method, environment, terminal_reason AS "terminalReason", event_seq AS "eventSeq",
  workflow_started_at IS NOT NULL AS "isStarted",
  checkout_mode = 'custom' AND EXISTS (SELECT FROM merchant_settings s WHERE s.merchant_id = payments.merchant_id
    AND s.environment = payments.environment AND s.custom_actions) AS "confirmsSteps"`;

/** Reads the rows of the payments created since `since`, without going through a proxy. */
export function readRows(databaseUrl: string, since: Date): Promise<Rows> {
  return withDatabase(databaseUrl, async (database) => {
    const all = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = [since]) =>
      (await database.query<Row>(text, values)).rows;
    return {
      payments: await all<PaymentRow>(`SELECT ${paymentColumns} FROM payments WHERE created_at >= $1`),
      attempts: await all<AttemptRow>(
        `SELECT a.payment_id AS "paymentId", a.attempt_no AS "attemptNo", a.status,
           ${ms('a.started_at')} AS "startedAtMs", ${ms('a.claimed_at')} AS "claimedAtMs",
           a.action_kind IS NOT NULL AS "hasAction", a.answer, ${ms('a.resolved_at')} AS "endedAtMs"
         FROM attempts a JOIN payments p ON p.id = a.payment_id
         WHERE p.created_at >= $1 ORDER BY a.attempt_no`,
      ),
      events: await all<EventRow>(
        `SELECT e.id, e.payment_id AS "paymentId", e.sequence, e.type, e.previous_status AS "previousStatus",
           e.data ->> 'id' AS "objectId", 
           e.type = 'payment.paid' AND e.data ->> 'late' IS NOT DISTINCT FROM 'true' AS "isLate"
         FROM events e JOIN payments p ON p.id = e.payment_id
         WHERE p.created_at >= $1 ORDER BY e.sequence`,
      ),
      refunds: await all<RefundRow>(
        `SELECT r.id, r.payment_id AS "paymentId", r.provider_reference AS reference,
           r.amount_cents::int AS "amountCents", r.status,
           r.reason IS NOT DISTINCT FROM 'other' AND r.key_line_id IS NULL AND r.member_id IS NULL AS "isOfLateSuccess"
         FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE p.created_at >= $1`,
      ),
      disputes: await all<DisputeRow>(
        `SELECT d.id, d.payment_id AS "paymentId", d.provider_reference AS reference, d.status, d.resolution,
           d.stage, d.amount_cents::int AS "amountCents", ${ms('d.evidence_due_at')} AS "evidenceDueAtMs"
         FROM disputes d JOIN payments p ON p.id = d.payment_id WHERE p.created_at >= $1`,
      ),
      movements: await all<MovementRow>(
        `SELECT m.payment_id AS "paymentId", m.type, m.amount_cents::int AS "amountCents", m.refund_id AS "refundId",
           m.dispute_id AS "disputeId", m.provider_reference AS "providerReference"
         FROM movements m JOIN payments p ON p.id = m.payment_id WHERE p.created_at >= $1 ORDER BY m.booked_at`,
      ),
      keys: await all<{ key: string; resourceId: string }>(
        'SELECT key, resource_id AS "resourceId" FROM idempotency_keys WHERE created_at >= $1',
      ),
      secrets: await all<{ paymentId: string }>(
        `SELECT c.payment_id AS "paymentId" FROM capture_access c JOIN payments p ON p.id = c.payment_id
         WHERE p.created_at >= $1 AND p.finalized_at IS NOT NULL AND c.secret_sealed IS NOT NULL`,
      ),
      alerted: await all<{ paymentId: string }>(
        `SELECT DISTINCT subject AS "paymentId" FROM operator_alerts WHERE since >= $1`,
      ),
      idle: await all<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE state = 'idle in transaction' AND now() - state_change > interval '5 s'`,
        [],
      ),
    };
  });
}

/**
 * Waits until every payment created since `since` is final and its events are delivered; false after
 * `withinMs`.
 */
export async function untilFinal(databaseUrl: string, since: Date, withinMs: number): Promise<boolean> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    if ((await countOpen(databaseUrl, since).catch(() => null)) === 0) return true;
    if (Date.now() > untilMs) return false;
    await sleep(250);
  }
}

/** Returns the payments of a schedule that are not final; none while PostgreSQL is unavailable. */
export async function unfinishedPayments(databaseUrl: string, since: Date): Promise<string[]> {
  return withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      'SELECT id FROM payments WHERE created_at >= $1 AND finalized_at IS NULL',
      [since],
    );
    return rows.map(({ id }) => id);
  }).catch(() => []);
}

async function countOpen(databaseUrl: string, since: Date): Promise<number | undefined> {
  return withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ open: number }>(
      `SELECT count(*) FILTER (WHERE finalized_at IS NULL)::int
         + (SELECT count(*)::int FROM webhook_deliveries d
            WHERE d.status = 'pending' AND d.created_at >= $1) AS open
       FROM payments WHERE created_at >= $1`,
      [since],
    );
    return rows[0]?.open;
  });
}

/** Returns the ids of the payments created since `since`. */
export function paymentsSince(databaseUrl: string, since: Date): Promise<string[]> {
  return withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      'SELECT id FROM payments WHERE created_at >= $1 ORDER BY created_at',
      [since],
    );
    return rows.map(({ id }) => id);
  });
}

/** Runs `work` with a connection of its own. */
export async function withDatabase<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
