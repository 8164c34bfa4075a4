/**
 * @typedef {Record<string, string>} Kept variables that a request sets: where its answer has the value
 * @typedef {{ operation: string, kept?: Kept, status?: string }} Shown `status`: what is expected, by default
 *   the status of success
 * @typedef {{ name: string, file: string, method: string, url: string, headers?: Record<string, string>,
 *   body: string, auth: 'inherit' | 'none', status: string, kept: Kept }} Prepared
 */

const newPayment = {
  amountCents: 2500,
  currency: 'USD',
  reference: '{{orderId}}',
  checkoutMode: 'custom',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/cart',
};
const testCard = {
  card_number: '4000000000003220',
  card_cvv: '123',
  card_expiry_month: '12',
  card_expiry_year: '40',
};

/** @param {string} id @returns {Kept} */
const idAs = (id) => ({ [id]: 'res.body.data.id' });

/**
 * The folders of the collection and their requests, in an order in which each finds the variables that it
 * needs: operations of the document, and between them what must exist first.
 * @type {Readonly<Record<string, readonly (string | Shown | Prepared)[]>>}
 */
export const folders = {
  Payments: [
    { operation: 'createPayment', kept: idAs('paymentId') },
    ...['retrievePayment', 'listPayments', 'searchPayments', 'retrieveTimeline'],
    ...['advanceClock', 'orderOutcome'],
  ],
  'A card on your own form': [
    prepared('Create a payment for your own form', '/v1/payments', newPayment, idAs('customPaymentId')),
    {
      operation: 'prepareCapture',
      kept: { vaultUrl: 'res.body.data.capture.url', captureSecret: 'res.body.data.capture.secret' },
    },
    {
      ...prepared('Send a card to the vault', '', testCard, {
        cardToken: 'res.body.token',
        captureReference: 'res.body.reference',
      }),
      url: '{{vaultUrl}}',
      auth: 'none',
      headers: { 'X-CardVault-Capture-Secret': '{{captureSecret}}' },
    },
    ...['pay', 'retrieveCheckout', 'answerChallenge'],
    // Only accounts with custom action handling confirm; for all others the service does it.
    { operation: 'confirm', status: 'in 200, 404' },
    'retrieveStatus',
  ],
  Refunds: [
    { operation: 'createRefund', kept: idAs('refundId') },
    ...['settleRefund', 'retrieveRefund', 'listRefundsOfPayment', 'listRefunds'],
    prepared(
      'Create a refund by mistake',
      '/v1/payments/{{paymentId}}/refunds',
      { amountCents: 500 },
      idAs('mistakeId'),
    ),
    'cancelRefund',
  ],
  Disputes: [
    { operation: 'openDispute', kept: idAs('disputeId') },
    ...['retrieveDispute', 'listDisputes', 'listDisputesOfPayment'],
    ...['stageEvidence', 'submitEvidence', 'resolveDispute'],
    prepared(
      'Open a second dispute',
      '/v1/sandbox/payments/{{customPaymentId}}/disputes',
      { reason: 'fraudulent' },
      idAs('secondDisputeId'),
    ),
    'acceptDispute',
  ],
  Movements: ['listMovements'],
  'Payment links': [
    { operation: 'createPaymentLink', kept: idAs('linkId') },
    ...['retrievePaymentLink', 'listPaymentLinks', 'changePaymentLink'],
  ],
  'Webhooks and events': [
    { operation: 'createWebhookEndpoint', kept: idAs('endpointId') },
    ...['retrieveWebhookEndpoint', 'listWebhookEndpoints'],
    { operation: 'testWebhookEndpoint', kept: idAs('eventId') },
    ...['retrieveEvent', 'listEvents', 'redeliverEvent', 'listDeliveries', 'replayEvents'],
    ...['rotateWebhookSecret', 'changeWebhookEndpoint', 'deleteWebhookEndpoint'],
    ...['listRequests', 'retrieveAuditHead'],
  ],
  'Checkout page': ['changeBranding', 'retrieveBranding', 'clearBranding'],
  Faults: ['orderFault'],
};

/**
 * @param {string} name
 * @param {string} path
 * @param {object} body
 * @param {Kept} kept
 * @returns {Prepared}
 */
function prepared(name, path, body, kept) {
  const file = name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  const url = `{{baseUrl}}${path}`;
  const headers = { 'Idempotency-Key': '{{$guid}}' };
  return {
    ...{ name, file, method: 'post', url, headers, auth: 'inherit', status: 'lt 300', kept },
    body: JSON.stringify(body),
  };
}
