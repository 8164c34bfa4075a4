import type { PublishedBrand } from '../published-cards.ts';
import { DECLINES, declineError, type Decline } from './declines.ts';
import { withDocs, type ApiError } from './errors.ts';
import type {
  Charge,
  Dispute,
  Endpoint,
  Intent,
  Refund,
  StoredEvent,
  StoredPaymentMethod,
} from './records.ts';

/** An object as the API shows it. */
export type ApiObject = Record<string, unknown>;

/** Whole seconds, as Stripe tells time. */
export const seconds = (epochMs: number): number => Math.floor(epochMs / 1000);

const DISPLAY: Readonly<Partial<Record<PublishedBrand, string>>> = { amex: 'american_express' };

export function paymentMethodView(method: StoredPaymentMethod): ApiObject {
  const { brand, billing } = method;
  return {
    id: method.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billingView(billing),
    card: {
      brand,
      checks: checksOf(method),
      country: 'US',
      display_brand: DISPLAY[brand as PublishedBrand] ?? brand,
      exp_month: method.expMonth,
      exp_year: method.expYear,
      fingerprint: method.fingerprint,
      funding: method.funding,
      generated_from: null,
      last4: method.last4,
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: seconds(method.createdAt),
    customer: null,
    customer_account: null,
    livemode: method.live,
    metadata: method.metadata,
    type: 'card',
  };
}

function billingView(billing: StoredPaymentMethod['billing']): ApiObject {
  return {
    address: {
      city: null,
      country: billing.country,
      line1: null,
      line2: null,
      postal_code: billing.postalCode,
      state: null,
    },
    email: billing.email,
    name: billing.name,
    phone: billing.phone,
    tax_id: null,
  };
}

function checksOf({ hasCvc, behaviour, billing }: StoredPaymentMethod): ApiObject {
  const cvcCheck = behaviour === 'incorrectCvc' ? 'fail' : 'pass';
  return {
    address_line1_check: null,
    address_postal_code_check: billing.postalCode === null ? null : 'pass',
    cvc_check: hasCvc ? cvcCheck : null,
  };
}

/** What an intent's view needs of the objects around it. `challengeUrl`: the page of an open step. */
export interface IntentSurroundings {
  latestCharge: Charge | undefined;
  failedMethod: StoredPaymentMethod | undefined;
  challengeUrl: string | null;
}

export function intentView(intent: Intent, around: IntentSurroundings): ApiObject {
  const received = intent.status === 'succeeded' ? intent.amountCents : 0;
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amountCents,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: received,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: intent.automaticMethods && {
      allow_redirects: intent.automaticMethods.allowRedirects,
      enabled: intent.automaticMethods.enabled,
    },
    canceled_at: intent.canceledAt === null ? null : seconds(intent.canceledAt),
    cancellation_reason: intent.cancellationReason,
    capture_method: 'automatic',
    client_secret: intent.clientSecret,
    confirmation_method: 'automatic',
    created: seconds(intent.createdAt),
    currency: 'usd',
    customer: null,
    customer_account: null,
    description: intent.description,
    excluded_payment_method_types: null,
    last_payment_error: lastErrorView(intent, around.failedMethod),
    latest_charge: intent.latestChargeId,
    livemode: intent.live,
    metadata: intent.metadata,
    next_action: nextActionView(intent, around.challengeUrl),
    on_behalf_of: null,
    payment_method: intent.paymentMethodId,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: 'automatic',
      },
    },
    payment_method_types: ['card'],
    processing: intent.status === 'processing' ? { type: 'card', card: {} } : null,
    receipt_email: intent.receiptEmail,
    review: null,
    setup_future_usage: null,
    shipping: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.statementDescriptorSuffix,
    transfer_data: null,
    transfer_group: null,
    status: intent.status,
  };
}

function nextActionView({ status, step, returnUrl }: Intent, url: string | null): ApiObject | null {
  if (status !== 'requires_action' || step === null) return null;
  return step.redirects
    ? { redirect_to_url: { return_url: returnUrl, url }, type: 'redirect_to_url' }
    : { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } };
}

function lastErrorView({ lastError }: Intent, method: StoredPaymentMethod | undefined): ApiError | null {
  if (lastError === null) return null;
  const error = withDocs(declineError(lastError.decline, lastError.chargeId));
  return method ? { ...error, payment_method: paymentMethodView(method) } : error;
}

/** `refundedCents`: what its refunds that did not fail add up to. */
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
    wallet: null,
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

/** Evidence that a dispute over goods or services can take as text or as a file's id. */
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

/** `method`: the card the money came from. */
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
    currency: 'usd',
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

/** `pendingWebhooks`: endpoints that have not taken it yet. */
export function eventView(event: StoredEvent, apiVersion: string, pendingWebhooks: number): ApiObject {
  return {
    id: event.id,
    object: 'event',
    api_version: apiVersion,
    created: seconds(event.createdAt),
    data: { object: JSON.parse(event.object) as unknown },
    livemode: event.live,
    pending_webhooks: pendingWebhooks,
    request: { id: event.requestId, idempotency_key: event.idempotencyKey },
    type: event.type,
  };
}

/** The secret is shown once, when the endpoint is made. */
export function endpointView(endpoint: Endpoint, withSecret: boolean): ApiObject {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    api_version: endpoint.apiVersion,
    application: null,
    created: seconds(endpoint.createdAt),
    description: endpoint.description,
    enabled_events: endpoint.enabledEvents,
    livemode: endpoint.live,
    metadata: endpoint.metadata,
    ...(withSecret ? { secret: endpoint.secret } : {}),
    status: 'enabled',
    url: endpoint.url,
  };
}

export function listView(url: string, data: ApiObject[], hasMore: boolean): ApiObject {
  return { object: 'list', data, has_more: hasMore, url };
}
