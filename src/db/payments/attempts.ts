import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import type { AttemptStatus } from '../../domain/timeline/sources.ts';
import type { Queryable } from '../server/database.ts';
import { withArchived } from './archive.ts';

/** An attempt whose challenge or other action is (or was) open. */
export interface AttemptAction {
  paymentId: string;
  attemptNo: number;
  status: string;
  method: PaymentMethod;
  actionKind: 'threeDS' | 'wallet' | 'pix' | null;
  actionSealed: Buffer | null;
  actionTokenHash: Buffer | null;
  /** The network's object for the attempt, if the network prepares one. */
  providerReference: string | null;
}

const actionColumns = `payment_id AS "paymentId", attempt_no AS "attemptNo", status, method,
  action_kind AS "actionKind", action_sealed AS "actionSealed", action_token_hash AS "actionTokenHash",
  provider_reference AS "providerReference"`;

/** Returns the open action of the attempt that waits for the customer, or null. */
export async function findOpenAction(database: Queryable, paymentId: string): Promise<AttemptAction | null> {
  const { rows } = await database.query<AttemptAction>(
    `SELECT ${actionColumns} FROM attempts
     WHERE payment_id = $1 AND status IN ('requiresAction', 'processing') AND action_sealed IS NOT NULL`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/**
 * Returns the attempt that an action URL belongs to, by the keyed hashes of the URL's secret. The hash is
 * stored longer than the action itself.
 */
export async function findActionByToken(
  database: Queryable,
  tokenHashes: Buffer[],
): Promise<AttemptAction | null> {
  const { rows } = await database.query<AttemptAction>(
    `SELECT ${actionColumns} FROM attempts WHERE action_token_hash = ANY($1::bytea[])`,
    [tokenHashes],
  );
  return rows[0] ?? null;
}

/**
 * Returns the id of the payment whose attempt has this object at the network, or null. Returns null also when
 * the payment was made with a connector other than the one that reported the object.
 */
export async function findByProviderReference(
  database: Queryable,
  connectorId: string,
  reference: string,
): Promise<string | null> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT p.id FROM ${withArchived('attempts', 'payment_id, provider_reference')} a
     JOIN ${withArchived('payments', 'id, connector_id')} p ON p.id = a.payment_id
     WHERE a.provider_reference = $2 AND p.connector_id = $1`,
    [connectorId, reference],
  );
  return rows[0]?.id ?? null;
}

/** An attempt as operators and members read it, without secrets. */
interface AttemptSummary {
  attemptNo: number;
  status: AttemptStatus;
  method: PaymentMethod;
  cardBrand: string | null;
  cardLast4: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  providerReference: string | null;
  actionKind: 'threeDS' | 'wallet' | 'pix' | null;
  startedAt: Date;
  resolvedAt: Date | null;
}

/** Returns every attempt of a payment, in order. */
export async function listAttempts(database: Queryable, paymentId: string): Promise<AttemptSummary[]> {
  const { rows } = await database.query<AttemptSummary>(
    `SELECT attempt_no AS "attemptNo", status, method, card_brand AS "cardBrand", card_last4 AS "cardLast4",
       failure_code AS "failureCode", failure_message AS "failureMessage",
       provider_reference AS "providerReference", action_kind AS "actionKind",
       started_at AS "startedAt", resolved_at AS "resolvedAt"
     FROM attempts WHERE payment_id = $1 ORDER BY attempt_no`,
    [paymentId],
  );
  return rows;
}

/** The facts of an attempt that its refund needs. */
interface PaidAttempt {
  attemptNo: number;
  providerReference: string | null;
  connectorId: string | null;
  environment: Environment;
}

/** Returns the attempt that was paid; null when there is none. */
export async function findPaidAttempt(database: Queryable, paymentId: string): Promise<PaidAttempt | null> {
  const { rows } = await database.query<PaidAttempt>(
    `SELECT a.attempt_no AS "attemptNo", a.provider_reference AS "providerReference",
       p.connector_id AS "connectorId", p.environment
     FROM attempts a JOIN payments p ON p.id = a.payment_id WHERE a.payment_id = $1 AND a.status = 'paid'`,
    [paymentId],
  );
  return rows[0] ?? null;
}
