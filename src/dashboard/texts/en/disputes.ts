export const disputes = {
  title: 'Disputes',
  statuses: 'Disputes by status',
  opened: 'Opened',
  listTitle: 'Disputes by deadline',
  empty: 'No disputes.',
  noMatch: 'No disputes with this status.',
  reason: 'Reason',
  amount: 'Amount',
  payment: 'Payment',
  stage: 'Stage',
  due: 'Due',

  // One dispute
  pageTitle: (reference: string) => `Dispute on ${reference}`,
  respondBy: 'Respond by',
  submitted: 'Submitted',
  outcome: 'Outcome',
  evidence: 'Evidence',
  evidenceFields: {
    productDescription: 'Product or service description',
    customerCommunication: 'Communication with the customer',
    shippingTracking: 'Shipping and tracking',
    refundPolicy: 'Refund policy, and how it was shown',
    uncategorizedText: 'Anything else',
  },
  evidenceHelp: (most: string) => `Up to ${most} characters in total. Don't enter card numbers.`,
  autoSubmit: 'Submit the draft automatically one hour before the deadline',
  saveDraft: 'Save draft',
  noEvidence: 'No evidence.',
  evidenceHoldsCard: 'The evidence looks like it contains a card number. Remove the number.',
  evidenceInvalid: (most: string) =>
    `The evidence can't be used. Save a draft of plain text, with at most ${most} characters in total.`,

  // Its answer
  response: 'Your response',
  responseText: 'Submit your evidence or accept the dispute. Both are final.',
  lateResponseText:
    'The deadline has passed: you can no longer submit evidence. Accept the dispute, or wait for the payment network to decide.',
  submit: 'Submit evidence',
  accept: 'Accept dispute',
  nothingToSubmit: 'To submit evidence, save a draft first.',
  submitQuestion: 'Submit the evidence?',
  submitText: (names: string) => `The payment network receives: ${names}. You can't add anything later.`,
  submitConfirm: 'Submit now',
  acceptQuestion: 'Accept the dispute?',
  acceptText: (amount: string) => `The customer keeps ${amount} and the dispute is lost.`,
  acceptConfirm: (amount: string) => `Give up ${amount}`,
} as const;
