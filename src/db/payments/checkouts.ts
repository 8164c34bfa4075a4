import { type CheckoutState, checkoutPaymentStatus, resumeCheckout } from '../../domain/checkout-state.ts';
import type { CheckoutPayment } from '../../domain/payment.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import type { CaptureAccess } from './capture-access.ts';
import type { Queryable } from '../server/database.ts';
import { type Tenant, checkoutPaymentColumns, columnsOf } from './payments.ts';

/** The open attempt, with the customer's step if it has one. */
export interface StoredAttempt {
  attemptNo: number;
  status: 'processing' | 'requiresAction';
  method: PaymentMethod;
  /** A worker claimed the attempt for sending. */
  isClaimed: boolean;
  /** No call waits for the attempt's answer any more: only a query to the network can resolve it. */
  isUnknown: boolean;
  actionKind: 'threeDS' | 'wallet' | 'pix' | null;
  actionSealed: Buffer | null;
  actionTokenHash: Buffer | null;
}

/** A payment with everything that decisions about its checkout need, read in one statement. */
export interface CheckoutRecord extends CheckoutPayment {
  /** Rises with every change of the payment that reads can see. */
  version: number;
  acceptedTokenHash: Buffer | null;
  attempt: StoredAttempt | null;
  access: CaptureAccess | null;
  /** Whether the merchant's account is active. */
  merchantActive: boolean;
  /** Whether a browser has opened the hosted page. */
  wasOpened: boolean;
}

interface Row extends CheckoutPayment {
  version: number;
  merchantActive: boolean;
  wasOpened: boolean;
  acceptedTokenHash: Buffer | null;
  attemptNo: number | null;
  attemptStatus: StoredAttempt['status'];
  attemptMethod: PaymentMethod;
  isClaimed: boolean;
  isUnknown: boolean;
  actionKind: StoredAttempt['actionKind'];
  actionSealed: Buffer | null;
  actionTokenHash: Buffer | null;
  accessStatus: CaptureAccess['status'] | null;
  secretSealed: Buffer | null;
  captureUrl: string | null;
}

const columns = `${columnsOf('p', checkoutPaymentColumns)}, p.version, p.accepted_token_hash AS "acceptedTokenHash",
  p.checkout_opened_at IS NOT NULL AS "wasOpened", a.attempt_no AS "attemptNo",
  a.status AS "attemptStatus", a.method AS "attemptMethod", a.claimed_at IS NOT NULL AS "isClaimed",
  a.unknown_since IS NOT NULL AS "isUnknown", a.action_kind AS "actionKind",
  a.action_sealed AS "actionSealed", a.action_token_hash AS "actionTokenHash",
  c.status AS "accessStatus", c.secret_sealed AS "secretSealed",
  c.capture_url AS "captureUrl"`;
/** Not for a tenant's own read (`findCheckout`): its key was just accepted, so its merchant is active. */
const active = `EXISTS (SELECT FROM merchants m WHERE m.id = p.merchant_id AND m.status = 'active') AS "merchantActive"`;
const tables = `payments p
  LEFT JOIN attempts a ON a.payment_id = p.id AND a.status IN ('processing', 'requiresAction')
  LEFT JOIN capture_access c ON c.payment_id = p.id`;

/**
 * Returns the tenant's payment with its checkout, or null. The result is the same for an unknown id, another
 * merchant's id and an id of the other environment.
 */
export async function findCheckout(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<CheckoutRecord | null> {
  const { rows } = await database.query<Row>(
    `SELECT ${columns}, true AS "merchantActive" FROM ${tables}
     WHERE p.id = $1 AND p.merchant_id = $2 AND p.environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Returns a payment with its checkout by its id alone. For pages and the operator. */
export async function loadCheckout(database: Queryable, id: string): Promise<CheckoutRecord | null> {
  const { rows } = await database.query<Row>(`SELECT ${columns}, ${active} FROM ${tables} WHERE p.id = $1`, [
    id,
  ]);
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Returns the checkout that a checkout URL opens, by the keyed hashes of the URL's secret. */
export async function findCheckoutByToken(
  database: Queryable,
  tokenHashes: Buffer[],
): Promise<CheckoutRecord | null> {
  const { rows } = await database.query<Row>(
    `SELECT ${columns}, ${active} FROM ${tables} WHERE p.checkout_token_hash = ANY($1::bytea[])`,
    [tokenHashes],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** The stored status of a checkout, and whether its deadline has passed by PostgreSQL's clock. */
export interface StoredDeadline extends Pick<
  CheckoutPayment,
  'checkoutStatus' | 'terminalReason' | 'attemptsLeft' | 'expiresAt'
> {
  hasPassed: boolean;
}

/**
 * Returns the deadline of a payment, once no transaction is changing the payment. A result whose commit is in
 * progress is waited for, and one that is committed later finds the deadline passed (`writeProjection`). So a
 * checkout that was shown as expired is never shown as paid. Fails after the pool's statement timeout.
 */
export async function readDeadline(database: Queryable, id: string): Promise<StoredDeadline | null> {
  const { rows } = await database.query<StoredDeadline>(
    `SELECT checkout_status AS "checkoutStatus", terminal_reason AS "terminalReason",
       attempts_left AS "attemptsLeft", expires_at AS "expiresAt", clock_timestamp() >= expires_at AS "hasPassed"
     FROM payments WHERE id = $1 FOR SHARE`,
    [id],
  );
  return rows[0] ?? null;
}

function fromRow(row: Row): CheckoutRecord {
  const {
    attemptNo,
    attemptStatus,
    attemptMethod,
    isClaimed,
    isUnknown,
    actionKind,
    actionSealed,
    actionTokenHash,
    accessStatus,
    secretSealed,
    captureUrl,
    ...payment
  } = row;
  return {
    ...payment,
    attempt:
      attemptNo === null
        ? null
        : {
            attemptNo,
            status: attemptStatus,
            method: attemptMethod,
            isClaimed,
            isUnknown,
            actionKind,
            actionSealed,
            actionTokenHash,
          },
    access: accessStatus === null ? null : { status: accessStatus, secretSealed, captureUrl },
  };
}

/** Returns the checkout's state from the stored rows, for the same decisions as in the payment's workflow. */
export function checkoutState(record: CheckoutRecord): CheckoutState {
  const { attempt, access } = record;
  const underWay = record.checkoutStatus === 'processing';
  return resumeCheckout({
    mode: record.checkoutMode,
    expiresAtMs: record.expiresAt.getTime(),
    captureEndsAtMs: record.captureExpiresAt.getTime(),
    checkoutStatus: record.checkoutStatus,
    terminalReason: record.terminalReason,
    paymentStatus: checkoutPaymentStatus(record.status),
    attemptsLeft: record.attemptsLeft,
    attemptsStarted: attempt?.attemptNo ?? 0,
    method: record.method,
    captureRevoked:
      record.acceptedTokenHash !== null || access?.status === 'ending' || access?.status === 'ended',
    openAttempt: attempt && {
      attemptNo: attempt.attemptNo,
      waitsForCustomer: attempt.status === 'requiresAction' && !underWay,
      confirming: attempt.status === 'requiresAction' && underWay,
      certainty: attempt.isUnknown ? 'unknown' : 'running',
    },
  });
}
