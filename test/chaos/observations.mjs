import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Client, Connection } from '@temporalio/client';

/** Runs `work` with a connection of its own, past every proxy. */
export async function withDatabase(url, work) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const ms = (column) => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** Everything the checker judges from, read from each system by itself: rows, ledger, workflows, logs, receiver. */
export async function gatherFacts(stack, history, since) {
  const rows = await withDatabase(stack.databaseUrl, async (database) => {
    const all = async (text, values = [since]) => (await database.query(text, values)).rows;
    return {
      payments: await all(
        `SELECT id, status, amount_cents::int AS "amountCents", refunded_cents::int AS "refundedCents", currency, reference, metadata, method, environment,
           checkout_status AS "checkoutStatus", terminal_reason AS "terminalReason", attempts_left AS "attemptsLeft",
           settled_at IS NOT NULL AS settled, event_seq AS "eventSeq", ${ms('expires_at')} AS "expiresAt",
           ${ms('created_at')} AS "createdAt", workflow_started_at IS NOT NULL AS started
         FROM payments WHERE created_at >= $1`,
      ),
      attempts: await all(
        `SELECT a.payment_id AS "paymentId", a.attempt_no AS "attemptNo", a.status,
           ${ms('a.started_at')} AS "startedAt", ${ms('a.settled_at')} AS "settledAt"
         FROM attempts a JOIN payments p ON p.id = a.payment_id WHERE p.created_at >= $1 ORDER BY a.attempt_no`,
      ),
      events: await all(
        `SELECT e.id, e.payment_id AS "paymentId", e.sequence, e.type, e.previous_status AS "previousStatus",
           e.data ->> 'id' AS "objectId"
         FROM events e JOIN payments p ON p.id = e.payment_id WHERE p.created_at >= $1 ORDER BY e.sequence`,
      ),
      refunds: await all(
        `SELECT r.id, r.payment_id AS "paymentId", r.amount_cents::int AS "amountCents", r.status
         FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE p.created_at >= $1`,
      ),
      disputes: await all(
        `SELECT d.id, d.payment_id AS "paymentId", d.provider_reference AS reference, d.status, d.resolution
         FROM disputes d JOIN payments p ON p.id = d.payment_id WHERE p.created_at >= $1`,
      ),
      keys: await all('SELECT key, resource_id AS "resourceId" FROM idempotency_keys WHERE created_at >= $1'),
      secrets: await all(
        `SELECT c.payment_id AS "paymentId" FROM capture_access c JOIN payments p ON p.id = c.payment_id
         WHERE p.created_at >= $1 AND p.settled_at IS NOT NULL AND c.secret_sealed IS NOT NULL`,
      ),
      idle: await all(
        `SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND now() - state_change > interval '5 s'`,
        [],
      ),
    };
  });
  const ledgers = new Map();
  const ledgerRefunds = [];
  const networkDisputes = [];
  const ask = async (path) =>
    (
      await fetch(stack.networkUrl + path, { headers: { authorization: `Bearer ${stack.networkKey}` } })
    ).json();
  for (const { id } of rows.payments) {
    const { charges, refunds } = await ask(`/ledger?paymentId=${id}`);
    ledgers.set(id, charges);
    ledgerRefunds.push(...refunds);
    networkDisputes.push(...(await ask(`/v1/disputes?paymentId=${id}`)).disputes);
  }
  return {
    ...rows,
    history,
    ledgers,
    ledgerRefunds,
    networkDisputes,
    workflows: await workflowStates(stack, rows.payments),
    received: stack.receiver.received.filter(({ body }) => rows.payments.some(({ id }) => body.includes(id))),
    logs: readLogs(stack.logsDirectory),
    canaries: [stack.apiKey, ...secretsSeen(history)],
  };
}

async function workflowStates(stack, payments) {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const { workflow } = new Client({ connection });
    const states = new Map();
    for (const { id } of payments) {
      const run = await workflow
        .getHandle(`payment-${id}`)
        .describe()
        .catch(() => null);
      states.set(id, run?.status.name ?? 'MISSING');
    }
    return states;
  } finally {
    await connection.close();
  }
}

function readLogs(directory) {
  return readdirSync(directory)
    .filter((name) => /^(api|worker)/.test(name))
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }));
}

function secretsSeen(history) {
  return history.flatMap(({ op, data }) => (op === 'capture' && data?.capture ? [data.capture.secret] : []));
}

/** Waits until every payment of the schedule is settled and its events are delivered; false after `withinMs`. */
export async function untilSettled(stack, since, withinMs) {
  const end = Date.now() + withinMs;
  for (;;) {
    const open = await withDatabase(stack.databaseUrl, async (database) => {
      const { rows } = await database.query(
        `SELECT count(*) FILTER (WHERE settled_at IS NULL)::int
           + (SELECT count(*)::int FROM webhook_deliveries d WHERE d.status = 'pending' AND d.created_at >= $1) AS open
         FROM payments WHERE created_at >= $1`,
        [since],
      );
      return rows[0].open;
    }).catch(() => -1);
    if (open === 0) return true;
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
