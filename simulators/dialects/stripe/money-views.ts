import { DECLINES, type Decline } from './declines.ts';
import type { Charge, Dispute, Refund, StoredPaymentMethod } from './records.ts';
import { type ApiObject, billingView, checksOf, seconds, walletView } from './views.ts';

/** `refundedCents`: the sum of its refunds that did not fail. */
export function chargeView(charge: Charge, method: StoredPaymentMethod, refundedCents: number): ApiObject {
  const captured = charge.status === 'succeeded';
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amountCents,
    amount_captured: captured ? charge.amountCents : 0,
    amount_refunded: refundedCents,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: captured ? charge.id.replace(/^ch_/, 'txn_') : null,
    billing_details: billingView(method.billing),
    calculated_statement_descriptor: 'SANDBOX',
    captured,
    created: seconds(charge.createdAt),
    currency: 'usd',
    customer: null,
    description: charge.description,
    disputed: charge.disputeId !== null,
    failure_balance_transaction: null,
    failure_code: charge.decline === null ? null : DECLINES[charge.decline].code,
    failure_message: charge.decline === null ? null : DECLINES[charge.decline].message,
    fraud_details: {},
    livemode: charge.live,
    metadata: charge.metadata,
    on_behalf_of: null,
    outcome: outcomeView(charge),
    paid: captured,
    payment_intent: charge.intentId,
    payment_method: charge.paymentMethodId,
    payment_method_details: { card: chargedCardView(charge, method), type: 'card' },
    receipt_email: charge.receiptEmail,
    receipt_number: null,
    receipt_url: null,
    refunded: refundedCents >= charge.amountCents,
    review: null,
    shipping: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: charge.statementDescriptorSuffix,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  };
}

function outcomeView({ status, decline }: Charge): ApiObject | null {
  if (status === 'pending') return null;
  const none = { advice_code: null, network_advice_code: null, network_decline_code: null };
  if (decline === null) {
    return {
      ...none,
      network_status: 'approved_by_network',
      reason: null,
      risk_level: 'normal',
      seller_message: 'Payment complete.',
      type: 'authorized',
    };
  }
  const { adviceCode, declineCode, code }: Decline = DECLINES[decline];
  const blocked = decline === 'fraudulent';
  return {
    ...none,
    advice_code: adviceCode,
    network_status: blocked ? 'not_sent_to_network' : 'declined_by_network',
    reason: blocked ? 'highest_risk_level' : (declineCode ?? code),
    risk_level: blocked ? 'highest' : 'normal',
    seller_message: blocked
      ? 'Stripe blocked this charge as too risky.'
      : 'The bank did not return any further details with this decline.',
    type: blocked ? 'blocked' : 'issuer_declined',
  };
}

function chargedCardView(charge: Charge, method: StoredPaymentMethod): ApiObject {
  return {
    amount_authorized: charge.status === 'succeeded' ? charge.amountCents : null,
    authorization_code: charge.status === 'succeeded' ? charge.id.slice(-6).toUpperCase() : null,
    brand: method.brand,
    checks: checksOf(method),
    country: 'US',
    exp_month: method.expMonth,
    exp_year: method.expYear,
    extended_authorization: { status: 'disabled' },
    fingerprint: method.fingerprint,
    funding: method.funding,
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4: method.last4,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: method.brand,
    network_token: { used: false },
    network_transaction_id:
      charge.status === 'succeeded' ? charge.id.replace(/\D/g, '').padStart(15, '7') : null,
    overcapture: { maximum_amount_capturable: charge.amountCents, status: 'unavailable' },
    regulated_status: 'unregulated',
    three_d_secure: charge.authenticated
      ? {
          authentication_flow: 'challenge',
          electronic_commerce_indicator: '05',
          exemption_indicator: null,
          result: 'authenticated',
          result_reason: null,
          transaction_id: `3ds_${charge.id.slice(3)}`,
          version: '2.2.0',
        }
      : null,
    wallet: walletView(method),
  };
}

export function refundView(refund: Refund): ApiObject {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amountCents,
    balance_transaction: refund.status === 'pending' ? null : refund.id.replace(/^re_/, 'txn_'),
    charge: refund.chargeId,
    created: seconds(refund.createdAt),
    currency: 'usd',
    customer: null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    ...(refund.failureReason === null
      ? {}
      : {
          failure_reason: refund.failureReason,
          failure_balance_transaction: refund.id.replace(/^re_/, 'txn_9'),
        }),
    metadata: refund.metadata,
    payment_intent: refund.intentId,
    payment_method: null,
    ...(refund.status === 'pending' ? { pending_reason: 'processing' } : {}),
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  };
}

/** The evidence of a dispute over goods or services, as text or as a file's id. */
export const EVIDENCE_FIELDS = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
] as const;

/** `method`: the card that was charged. */
export function disputeView(dispute: Dispute, method: StoredPaymentMethod, now: number): ApiObject {
  const evidence = Object.fromEntries(EVIDENCE_FIELDS.map((name) => [name, dispute.evidence[name] ?? null]));
  const inquiry = dispute.status.startsWith('warning_');
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amountCents,
    balance_transactions: [],
    charge: dispute.chargeId,
    created: seconds(dispute.createdAt),
    currency: dispute.currency,
    enhanced_eligibility_types: [],
    evidence: { ...evidence, enhanced_evidence: {} },
    evidence_details: {
      due_by: seconds(dispute.dueBy),
      enhanced_eligibility: {},
      has_evidence: Object.keys(dispute.evidence).length > 0,
      past_due: now >= dispute.dueBy,
      submission_count: dispute.submissions,
    },
    is_charge_refundable: inquiry,
    livemode: dispute.live,
    metadata: dispute.metadata,
    payment_intent: dispute.intentId,
    payment_method_details: {
      card: {
        brand: method.brand,
        case_type: inquiry ? 'inquiry' : 'chargeback',
        network: method.brand,
        network_reason_code: dispute.networkReasonCode,
      },
      type: 'card',
    },
    reason: dispute.reason,
    status: dispute.status,
  };
}
