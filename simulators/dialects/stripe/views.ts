import type { PublishedBrand } from '../../published-cards.ts';
import { declineError } from './declines.ts';
import { withDocs, type ApiError } from './errors.ts';
import type { Charge, Endpoint, Intent, StoredEvent, StoredPaymentMethod } from './records.ts';

/** An object as the API shows it. */
export type ApiObject = Record<string, unknown>;

/** Returns whole seconds, Stripe's unit of time. */
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
      wallet: walletView(method),
    },
    created: seconds(method.createdAt),
    customer: null,
    customer_account: null,
    livemode: method.live,
    metadata: method.metadata,
    type: 'card',
  };
}

/** The wallet that made the payment method in the customer's browser. */
export const walletView = ({ wallet, last4 }: StoredPaymentMethod): ApiObject | null =>
  wallet === null ? null : { dynamic_last4: last4, [wallet]: {}, type: wallet };

export function billingView(billing: StoredPaymentMethod['billing']): ApiObject {
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

export function checksOf({ hasCvc, behaviour, billing }: StoredPaymentMethod): ApiObject {
  const cvcCheck = behaviour === 'incorrectCvc' ? 'fail' : 'pass';
  return {
    address_line1_check: null,
    address_postal_code_check: billing.postalCode === null ? null : 'pass',
    cvc_check: hasCvc ? cvcCheck : null,
  };
}

/** The related objects that an intent's view needs. `challengeUrl`: the page of an open step. */
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
        request_three_d_secure: intent.threeDSecure,
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

/** `pendingWebhooks`: endpoints that have not accepted it yet. */
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

/** The secret is shown only in the answer that creates the endpoint. */
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
