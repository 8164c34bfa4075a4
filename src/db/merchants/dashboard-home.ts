import type { Queryable } from '../server/database.ts';
import { withArchived } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';

/** What a merchant has set up in an environment. */
export interface SetUpRows {
  key: boolean;
  endpoint: boolean;
  branding: boolean;
  /** A connection to a payment provider. */
  connector: boolean;
  /** Whether the member has a passkey. */
  passkey: boolean;
  paid: boolean;
}

/** Returns what a merchant has set up in an environment, and whether a payment was paid there. */
export async function readSetUp(
  database: Queryable,
  { merchantId, environment }: Tenant,
  memberId: string,
): Promise<SetUpRows> {
  const { rows } = await database.query<SetUpRows>(
    `SELECT
       EXISTS (SELECT FROM api_keys WHERE merchant_id = $1 AND environment = $2 AND revoked_at IS NULL) AS key,
       EXISTS (SELECT FROM webhook_endpoints WHERE merchant_id = $1 AND environment = $2) AS endpoint,
       EXISTS (SELECT FROM merchant_branding WHERE merchant_id = $1 AND environment = $2) AS branding,
       EXISTS (SELECT FROM connectors WHERE merchant_id = $1 AND environment = $2 AND active) AS connector,
       EXISTS (SELECT FROM member_passkeys WHERE member_id = $3) AS passkey,
       EXISTS (SELECT FROM ${withArchived('payments', 'merchant_id, environment, paid_at')} p
         WHERE merchant_id = $1 AND environment = $2 AND paid_at IS NOT NULL) AS paid`,
    [merchantId, environment, memberId],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a SELECT without FROM returned no row');
  return row;
}

/** The maximum number of items of one kind that the home page lists. */
const maxListed = 10;

/** Returns the payments whose outcome has been unknown since before `since`, longest unknown first. */
export async function undecidedPayments(
  database: Queryable,
  tenant: Tenant,
  since: Date,
): Promise<{ id: string; reference: string; since: Date }[]> {
  const { rows } = await database.query<{ id: string; reference: string; since: Date }>(
    `SELECT p.id, p.reference, a.first_unknown_at AS since FROM payments p JOIN attempts a ON a.payment_id = p.id
     WHERE p.merchant_id = $1 AND p.environment = $2 AND p.finalized_at IS NULL AND p.checkout_status = 'processing'
       AND a.resolved_at IS NULL AND a.first_unknown_at <= $3
     ORDER BY a.first_unknown_at LIMIT ${maxListed}`,
    [tenant.merchantId, tenant.environment, since],
  );
  return rows;
}

/**
 * Returns the late successes among the payments created since an instant, newest first. These were captured
 * after their checkout closed.
 */
export async function latePayments(
  database: Queryable,
  tenant: Tenant,
  since: Date,
): Promise<{ id: string; reference: string; paidAt: Date }[]> {
  const { rows } = await database.query<{ id: string; reference: string; paidAt: Date }>(
    `SELECT id, reference, paid_at AS "paidAt" FROM payments
     WHERE merchant_id = $1 AND environment = $2 AND created_at >= $3 AND paid_at IS NOT NULL AND status = 'paid' AND checkout_status = 'expired'
       AND NOT EXISTS (SELECT FROM attempts a WHERE a.payment_id = payments.id AND a.status = 'paid' AND NOT a.late)
     ORDER BY created_at DESC LIMIT ${maxListed}`,
    [tenant.merchantId, tenant.environment, since],
  );
  return rows;
}
