import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { Problem } from '../../../scripts/lib/problem.mjs';

/** Bytes on disk of a copy with its attempt, search terms and indexes; some 3,100 were measured. */
const bytesOfCopy = 4_000;
/** Bytes that the write-ahead log and sorting may need beside the rows. */
const bytesBeside = 5e9;
/** Copies of one statement. */
const ofOneStatement = 100_000;

/**
 * Copies a paid payment with its attempt and its search terms, one for every half second back from now.
 * Triggers and foreign keys are bypassed, because these rows are only read.
 */
const copyQuery = `
  WITH copies AS (
    INSERT INTO payments
    SELECT copy.*
    FROM payments p, generate_series($2::int, $3::int) n, LATERAL jsonb_populate_record(p, jsonb_build_object(
      'id', uuidv7(-n * interval '0.5 seconds'),
      'vault_id', 'b' || n,
      'checkout_token_hash', '\\x' || encode(sha256(('bench' || n)::bytea), 'hex'),
      'reference', 'copy-' || n,
      'customer_email', 'copy-' || n || '@shop.example',
      'amount_cents', 500 + n % 1000,
      'created_at', p.created_at - n * interval '0.5 seconds')) copy
    WHERE p.id = $1
    RETURNING *
  ), terms AS (
    INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
    SELECT c.merchant_id, c.environment, t.kind, t.term, c.created_at, c.id
    FROM copies c, LATERAL (VALUES ('email', c.customer_email), ('last4', c.card_last4), ('method', c.method))
      AS t (kind, term)
    WHERE t.term IS NOT NULL
  )
  INSERT INTO attempts
  SELECT copy.*
  FROM attempts a, copies c, LATERAL jsonb_populate_record(a, jsonb_build_object(
    'payment_id', c.id, 'request_id', c.id, 'provider_reference', c.vault_id, 'started_at', c.created_at)) copy
  WHERE a.payment_id = $1`;

/** Logs how much disk so many copies need. Throws Problem when `directory` has not enough. */
export async function requireRoomForCopies(
  copies: number,
  directory: string,
  logLine: (line: string) => void,
): Promise<void> {
  const needed = copies * bytesOfCopy + bytesBeside;
  const { bavail, bsize } = await statfs(directory);
  const gigabytes = (bytes: number): string => `${Math.ceil(bytes / 1e9)} GB`;
  const free = bavail * bsize;
  logLine(`lists: ${copies} rows need ${gigabytes(needed)} of the ${gigabytes(free)} free in ${directory}`);
  if (free < needed) {
    throw new Problem(
      `${copies} rows need ${gigabytes(needed)} in ${directory}, which has ${gigabytes(free)}: ` +
        'set TMPDIR to a larger disk, or ask for fewer with --rows',
    );
  }
}

/** Copies the payment `id` with the numbers from `from` to `to`, and brings the statistics up to date. */
export async function copyPayments(
  client: Client,
  id: string,
  { from, to }: { from: number; to: number },
  logLine: (line: string) => void,
): Promise<void> {
  await client.query("SET session_replication_role = 'replica'");
  for (let first = from; first <= to; first += ofOneStatement) {
    const last = Math.min(to, first + ofOneStatement - 1);
    await client.query(copyQuery, [id, first, last]);
    if (last % (10 * ofOneStatement) === 0 || last === to) logLine(`lists: ${last} of ${to} rows`);
  }
  await client.query('VACUUM ANALYZE payments, attempts, payment_search_terms');
}

/** How long a step waits for automatic vacuums, in ms. */
const maxVacuumMs = 600_000;

/**
 * Waits until no automatic vacuum or analyze runs: after many new rows one begins by itself, and its
 * processor time would be counted as that of the calls that run beside it.
 */
export async function untilNoVacuum(client: Client, logLine: (line: string) => void): Promise<void> {
  const giveUpAt = performance.now() + maxVacuumMs;
  for (let waited = false; ; waited = true) {
    const { rows } = await client.query<{ query: string }>(
      "SELECT query FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'",
    );
    const [running] = rows;
    if (!running || performance.now() > giveUpAt) return;
    if (!waited) logLine(`lists: waiting for PostgreSQL's own ${running.query}`);
    await sleep(1_000);
  }
}
