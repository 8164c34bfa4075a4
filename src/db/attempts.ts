import type { PaymentMethod } from '../domain/statuses.ts';
import type { CardFacts } from '../domain/card.ts';
import { endCaptureAccess } from './capture-access.ts';
import type { Queryable } from './database.ts';

/** What a pay call hands to the workflow by reference: the token never enters Temporal. */
export interface AttemptInput {
  id: string;
  paymentId: string;
  method: PaymentMethod;
  tokenSealed: Buffer | null;
  captureReference: string | null;
}

export async function insertAttemptInput(database: Queryable, input: AttemptInput): Promise<void> {
  await database.query(
    `INSERT INTO attempt_inputs (id, payment_id, method, token_sealed, capture_reference)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
    [input.id, input.paymentId, input.method, input.tokenSealed, input.captureReference],
  );
}

export async function loadAttemptInput(database: Queryable, id: string): Promise<AttemptInput | null> {
  const { rows } = await database.query<AttemptInput>(
    `SELECT id, payment_id AS "paymentId", method, token_sealed AS "tokenSealed",
       capture_reference AS "captureReference" FROM attempt_inputs WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** An attempt whose challenge or other action is (or was) open. */
export interface AttemptAction {
  paymentId: string;
  attemptNo: number;
  status: string;
  method: PaymentMethod;
  actionKind: 'threeDS' | 'wallet' | 'pix' | null;
  actionSealed: Buffer | null;
}

const actionColumns = `payment_id AS "paymentId", attempt_no AS "attemptNo", status, method,
  action_kind AS "actionKind", action_sealed AS "actionSealed"`;

/** The action of the attempt that waits for the customer, or null. */
export async function findOpenAction(database: Queryable, paymentId: string): Promise<AttemptAction | null> {
  const { rows } = await database.query<AttemptAction>(
    `SELECT ${actionColumns} FROM attempts
     WHERE payment_id = $1 AND status IN ('requiresAction', 'processing') AND action_sealed IS NOT NULL`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/**
 * The attempt an action URL belongs to, by the keyed hash of its secret; the hash outlives the action itself.
 */
export async function findActionByToken(
  database: Queryable,
  tokenHash: Buffer,
): Promise<AttemptAction | null> {
  const { rows } = await database.query<AttemptAction>(
    `SELECT ${actionColumns} FROM attempts WHERE action_token_hash = $1`,
    [tokenHash],
  );
  return rows[0] ?? null;
}

/**
 * Records that an attempt goes to the network: attempt row, accepted card, end of capture access and the
 * projection `processing`, in the caller's transaction. `recorded` allows the charge to be sent; `repeated`
 * means an earlier run already may have sent it; `closed` means the checkout is over, or the pay was taken
 * back, and nothing may be sent.
 */
export async function recordAttemptStart(
  transaction: Queryable,
  input: {
    paymentId: string;
    attemptNo: number;
    inputId: string;
    seq: number;
    method: PaymentMethod;
    tokenHash: Buffer | null;
    singleCard: boolean;
    card: CardFacts | null;
    /** The workflow run that accepted the attempt; only the run that owns the payment may start one. */
    runId: string;
  },
): Promise<'recorded' | 'repeated' | 'closed'> {
  // Locks the row first: the deadline's commit and this one decide the race in one place.
  await transaction.query('SELECT 1 FROM payments WHERE id = $1 FOR UPDATE', [input.paymentId]);
  const known = await transaction.query('SELECT 1 FROM attempts WHERE payment_id = $1 AND attempt_no = $2', [
    input.paymentId,
    input.attemptNo,
  ]);
  if (known.rowCount !== 0) return 'repeated';
  // A pay that was taken back meanwhile can lead to nothing: its customer was told so.
  const taken = await transaction.query(
    `UPDATE attempt_inputs SET taken_at = coalesce(taken_at, now()) WHERE id = $1 AND withdrawn_at IS NULL`,
    [input.inputId],
  );
  if (taken.rowCount === 0) return 'closed';
  const moved = await transaction.query(
    `UPDATE payments SET checkout_status = 'processing', state_seq = $2, method = $3,
       workflow_run_id = coalesce(workflow_run_id, $6),
       accepted_token_hash = CASE WHEN $5 THEN coalesce(accepted_token_hash, $4) ELSE accepted_token_hash END
     WHERE id = $1 AND state_seq < $2 AND checkout_status NOT IN ('paid', 'expired')
       AND (workflow_run_id IS NULL OR workflow_run_id = $6)
       -- Accepted in time, but its worker was away past the deadline: nobody waits for this charge any more.
       AND expires_at > clock_timestamp()`,
    [input.paymentId, input.seq, input.method, input.tokenHash, input.singleCard, input.runId],
  );
  if (moved.rowCount === 0) return 'closed';
  await transaction.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, card_bin, card_issuer, card_brand, card_last4)
     VALUES ($1, $2, 'processing', $3, $4, $5, $6, $7)`,
    [
      input.paymentId,
      input.attemptNo,
      input.method,
      input.card?.bin ?? null,
      input.card?.issuer ? JSON.stringify(input.card.issuer) : null,
      input.card?.brand ?? null,
      input.card?.last4 ?? null,
    ],
  );
  if (input.singleCard) await endCaptureAccess(transaction, input.paymentId);
  return 'recorded';
}

/**
 * Keeps the provider's action of an attempt, sealed, with the hash its action URL is found by; the first one
 * stays.
 */
export async function recordAction(
  database: Queryable,
  input: {
    paymentId: string;
    attemptNo: number;
    method: PaymentMethod;
    kind: 'threeDS' | 'wallet' | 'pix';
    actionSealed: Buffer;
    tokenHash: Buffer;
  },
): Promise<void> {
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, action_kind, action_sealed, action_token_hash)
     VALUES ($1, $2, 'processing', $3, $4, $5, $6)
     ON CONFLICT (payment_id, attempt_no) DO UPDATE SET action_kind = excluded.action_kind,
       action_sealed = excluded.action_sealed, action_token_hash = excluded.action_token_hash
     WHERE attempts.action_token_hash IS NULL AND attempts.status = 'processing'`,
    [input.paymentId, input.attemptNo, input.method, input.kind, input.actionSealed, input.tokenHash],
  );
}

/** The keyed hash of the one card a custom-mode payment accepted, or null before that. */
export async function loadAcceptedTokenHash(database: Queryable, paymentId: string): Promise<Buffer | null> {
  const { rows } = await database.query<{ hash: Buffer | null }>(
    'SELECT accepted_token_hash AS hash FROM payments WHERE id = $1',
    [paymentId],
  );
  return rows[0]?.hash ?? null;
}

/** Every attempt of a payment for operators: no secrets. */
export async function listAttempts(
  database: Queryable,
  paymentId: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query<Record<string, unknown>>(
    `SELECT attempt_no AS "attemptNo", status, method, card_brand AS "cardBrand", card_last4 AS "cardLast4",
       failure_code AS "failureCode", failure_message AS "failureMessage", action_kind AS "actionKind",
       started_at AS "startedAt", resolved_at AS "resolvedAt"
     FROM attempts WHERE payment_id = $1 ORDER BY attempt_no`,
    [paymentId],
  );
  return rows;
}

/** The number of the attempt that took the payment's money, or null. */
export async function findPaidAttempt(database: Queryable, paymentId: string): Promise<number | null> {
  const { rows } = await database.query<{ attemptNo: number }>(
    `SELECT attempt_no AS "attemptNo" FROM attempts WHERE payment_id = $1 AND status = 'paid'`,
    [paymentId],
  );
  return rows[0]?.attemptNo ?? null;
}
