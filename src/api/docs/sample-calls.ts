import type { JsonObject } from './json.ts';

/** How one operation is called in the samples of the reference. */
export interface SampleCall {
  /** The resource and method of both SDKs, in TypeScript's spelling. */
  method: string;
  /** The name of the variable that takes the answer. */
  result: string;
  body?: JsonObject;
  query?: JsonObject;
}

const sandboxBodies = {
  outcome: { outcome: 'paid' },
  challenge: { result: 'authenticated' },
  clock: { bySeconds: 600 },
  dispute: { reason: 'productNotReceived' },
  decision: { outcome: 'won' },
  refund: { outcome: 'succeeded' },
  fault: { target: 'network', mode: 'lostResponse', count: 1 },
};

/** One row for each operation, by its id. */
export const sampleCalls: Readonly<Record<string, SampleCall>> = {
  createPayment: {
    method: 'payments.create',
    result: 'payment',
    body: {
      amountCents: 2500,
      currency: 'USD',
      reference: 'order-1001',
      successUrl: 'https://shop.example/thanks',
      cancelUrl: 'https://shop.example/cart',
    },
  },
  listPayments: { method: 'payments.list', result: 'page', query: { status: 'pending' } },
  retrievePayment: { method: 'payments.retrieve', result: 'payment' },
  prepareCapture: { method: 'payments.prepareCapture', result: 'access' },
  retrieveCheckout: { method: 'payments.checkout', result: 'checkout' },
  pay: {
    method: 'payments.pay',
    result: 'attempt',
    body: { cardToken: 'tok_5f0c2b7e9a41d83c', captureReference: 'cap_8Jd02mKq' },
  },
  confirm: { method: 'payments.confirm', result: 'attempt' },
  retrieveStatus: { method: 'payments.status', result: 'status', query: { waitSeconds: 25 } },
  retrieveTimeline: { method: 'payments.timeline', result: 'timeline' },
  searchPayments: { method: 'payments.search', result: 'page', query: { reference: 'order-1001' } },
  createPaymentLink: {
    method: 'paymentLinks.create',
    result: 'link',
    body: {
      amountCents: 4200,
      currency: 'USD',
      reference: 'workshop-may',
      successUrl: 'https://shop.example/thanks',
      cancelUrl: 'https://shop.example/workshops',
    },
  },
  listPaymentLinks: { method: 'paymentLinks.list', result: 'page' },
  retrievePaymentLink: { method: 'paymentLinks.retrieve', result: 'link' },
  changePaymentLink: { method: 'paymentLinks.update', result: 'link', body: { active: false } },
  createRefund: {
    method: 'refunds.create',
    result: 'refund',
    body: { amountCents: 1000, reason: 'requestedByCustomer' },
  },
  listRefundsOfPayment: { method: 'refunds.listForPayment', result: 'page' },
  listRefunds: { method: 'refunds.list', result: 'page', query: { status: 'pending' } },
  retrieveRefund: { method: 'refunds.retrieve', result: 'refund' },
  cancelRefund: { method: 'refunds.cancel', result: 'refund' },
  listDisputes: { method: 'disputes.list', result: 'page', query: { dueBefore: '2026-03-09' } },
  listDisputesOfPayment: { method: 'disputes.listForPayment', result: 'page' },
  retrieveDispute: { method: 'disputes.retrieve', result: 'dispute' },
  stageEvidence: {
    method: 'disputes.stageEvidence',
    result: 'dispute',
    body: { evidence: { shipping: 'Signed by the customer on 3 May.' } },
  },
  submitEvidence: { method: 'disputes.submit', result: 'dispute' },
  acceptDispute: { method: 'disputes.accept', result: 'dispute' },
  listMovements: {
    method: 'movements.list',
    result: 'page',
    query: { type: 'refunded' },
  },
  listWebhookEndpoints: { method: 'webhookEndpoints.list', result: 'page' },
  createWebhookEndpoint: {
    method: 'webhookEndpoints.create',
    result: 'endpoint',
    body: { url: 'https://shop.example/webhooks', events: ['payment.*'] },
  },
  retrieveWebhookEndpoint: { method: 'webhookEndpoints.retrieve', result: 'endpoint' },
  changeWebhookEndpoint: {
    method: 'webhookEndpoints.update',
    result: 'endpoint',
    body: { status: 'disabled' },
  },
  deleteWebhookEndpoint: { method: 'webhookEndpoints.delete', result: 'deleted' },
  rotateWebhookSecret: { method: 'webhookEndpoints.rotateSecret', result: 'endpoint' },
  testWebhookEndpoint: { method: 'webhookEndpoints.test', result: 'event' },
  listDeliveries: { method: 'webhookEndpoints.deliveries', result: 'page', query: { status: 'failed' } },
  replayEvents: {
    method: 'webhookEndpoints.replay',
    result: 'replay',
    body: { since: '2026-03-01T12:00:00Z', status: 'failed' },
  },
  listEvents: { method: 'events.list', result: 'page', query: { type: 'payment.paid' } },
  retrieveEvent: { method: 'events.retrieve', result: 'event' },
  redeliverEvent: { method: 'events.redeliver', result: 'redelivery' },
  listRequests: { method: 'requests.list', result: 'page' },
  retrieveAuditHead: { method: 'audit.head', result: 'head' },
  retrieveBranding: { method: 'branding.retrieve', result: 'branding' },
  changeBranding: { method: 'branding.update', result: 'branding', body: { accent: '#1d4ed8' } },
  clearBranding: { method: 'branding.clear', result: 'cleared' },
  orderOutcome: { method: 'sandbox.setOutcome', result: 'payment', body: sandboxBodies.outcome },
  answerChallenge: { method: 'sandbox.answerChallenge', result: 'payment', body: sandboxBodies.challenge },
  advanceClock: { method: 'sandbox.advanceClock', result: 'payment', body: sandboxBodies.clock },
  openDispute: { method: 'sandbox.openDispute', result: 'dispute', body: sandboxBodies.dispute },
  resolveDispute: { method: 'sandbox.resolveDispute', result: 'dispute', body: sandboxBodies.decision },
  settleRefund: { method: 'sandbox.settleRefund', result: 'refund', body: sandboxBodies.refund },
  orderFault: { method: 'sandbox.injectFault', result: 'fault', body: sandboxBodies.fault },
};
