import type { Stripe } from 'stripe';

/** Stripe's text fields, by the names under which merchants stage the texts. */
const fields = {
  accessActivityLog: 'access_activity_log',
  billingAddress: 'billing_address',
  cancellationPolicyDisclosure: 'cancellation_policy_disclosure',
  cancellationRebuttal: 'cancellation_rebuttal',
  customerEmailAddress: 'customer_email_address',
  customerName: 'customer_name',
  customerPurchaseIp: 'customer_purchase_ip',
  duplicateChargeExplanation: 'duplicate_charge_explanation',
  duplicateChargeId: 'duplicate_charge_id',
  productDescription: 'product_description',
  refundPolicyDisclosure: 'refund_policy_disclosure',
  refundRefusalExplanation: 'refund_refusal_explanation',
  serviceDate: 'service_date',
  shippingAddress: 'shipping_address',
  shippingCarrier: 'shipping_carrier',
  shippingDate: 'shipping_date',
  shippingTrackingNumber: 'shipping_tracking_number',
} as const satisfies Record<string, keyof Stripe.DisputeUpdateParams.Evidence>;

/** The most characters of one of Stripe's fields. */
const longest = 20_000;

/**
 * Returns staged texts in Stripe's fields. Each goes into its own field if there is one; the others go with
 * their names into the free-form text. Stripe's fields for files are not filled, because only texts are
 * staged.
 */
export function evidenceOf(evidence: Readonly<Record<string, string>>): Stripe.DisputeUpdateParams.Evidence {
  const own = Object.entries(fields).flatMap(([name, field]) =>
    evidence[name] === undefined ? [] : [[field, evidence[name].slice(0, longest)]],
  );
  const others = Object.entries(evidence)
    .filter(([name]) => !Object.hasOwn(fields, name))
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n\n')
    .slice(0, longest);
  return { ...Object.fromEntries(own), ...(others === '' ? {} : { uncategorized_text: others }) };
}
