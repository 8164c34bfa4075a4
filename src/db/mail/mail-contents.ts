import type { LineItem } from '../../domain/payment.ts';
import type { Locale, PaymentMethod } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

/** The merchant's name and support address for its mails. */
export interface MailSender {
  merchantName: string;
  supportEmail: string | null;
}

/**
 * Returns the display name of the merchant's branding, or else the merchant's name, with its support address.
 */
export async function loadMailSender(database: Queryable, tenant: Tenant): Promise<MailSender> {
  const { rows } = await database.query<MailSender>(
    `SELECT coalesce(b.display_name, m.name) AS "merchantName", b.support_email AS "supportEmail"
     FROM merchants m LEFT JOIN merchant_branding b ON b.merchant_id = m.id AND b.environment = $2
     WHERE m.id = $1`,
    [tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? { merchantName: '', supportEmail: null };
}

/** The facts of a payment that its receipt states. */
export interface ReceiptFacts {
  id: string;
  email: string | null;
  reference: string;
  amountCents: number;
  description: string | null;
  lineItems: LineItem[] | null;
  locale: Locale;
  method: PaymentMethod | null;
  cardBrand: string | null;
  cardLast4: string | null;
  paidAt: Date | null;
}

/** Returns the facts for a payment's receipt; null for an unknown payment. */
export async function loadReceiptFacts(database: Queryable, paymentId: string): Promise<ReceiptFacts | null> {
  const { rows } = await database.query<ReceiptFacts>(
    `SELECT id, customer_email AS email, reference, amount_cents AS "amountCents", description,
       line_items AS "lineItems", locale, method, card_brand AS "cardBrand", card_last4 AS "cardLast4",
       paid_at AS "paidAt"
     FROM payments WHERE id = $1`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/** An event of a dispute, with the reference of its payment. */
export interface DisputeEventFacts {
  type: string;
  reference: string;
  disputeId: string;
  amountCents: number;
  reason: string;
  evidenceDueAt: string;
}

/** Returns the event of a dispute; null once its retention has ended. */
export async function loadDisputeEvent(
  database: Queryable,
  eventId: string,
): Promise<DisputeEventFacts | null> {
  const { rows } = await database.query<DisputeEventFacts>(
    `SELECT e.type, p.reference, e.data->>'id' AS "disputeId", (e.data->>'amountCents')::bigint AS "amountCents",
       e.data->>'reason' AS reason, e.data->>'evidenceDueAt' AS "evidenceDueAt"
     FROM events e JOIN payments p ON p.id = e.payment_id WHERE e.id = $1`,
    [eventId],
  );
  return rows[0] ?? null;
}

/** The facts about an endpoint that a notice states. */
export interface EndpointFacts {
  url: string;
  status: 'enabled' | 'disabled';
  failingSince: Date | null;
}

/** Returns the endpoint; null if it was deleted. */
export async function loadEndpointFacts(database: Queryable, id: string): Promise<EndpointFacts | null> {
  const { rows } = await database.query<EndpointFacts>(
    `SELECT url, status, failing_since AS "failingSince" FROM webhook_endpoints
     WHERE id = $1 AND deleted_at IS NULL`,
    [id],
  );
  return rows[0] ?? null;
}
