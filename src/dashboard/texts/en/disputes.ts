export const disputes = {
  title: 'Disputes',
  statuses: 'Disputes by status',
  opened: 'Opened',
  listTitle: 'Disputes by deadline',
  empty: 'No disputes.',
  noMatch: 'No disputes match.',
  reason: 'Reason',
  amount: 'Amount',
  open: 'Open',
  won: 'Won',
  lost: 'Lost',
  payment: 'Payment',
  stage: 'Stage',
  due: 'Due',
  dueOver: 'Deadline passed',

  // One dispute
  pageTitle: (amount: string, reference: string) => `Dispute of ${amount} on ${reference}`,
  customer: 'Customer',
  paidWith: 'Paid with',
  leftToRespond: (left: string) => `${left} to respond`,
  withoutResponse: (amount: string) =>
    `Submit evidence by {time}. Without a response, the customer keeps ${amount}.`,
  underReviewText: 'The payment network is reviewing your evidence',
  wonText: (amount: string) => `You won: you keep ${amount}`,
  withdrawnText: (amount: string) => `The customer withdrew the dispute: you keep ${amount}`,
  lostText: (amount: string) => `You lost: the customer keeps ${amount}`,
  acceptedText: (amount: string) => `You accepted the dispute: the customer keeps ${amount}`,
  advice: 'What helps',
  adviceByReason: {
    fraudulent:
      'The cardholder says that they did not pay. Show that they did: earlier orders with this address, messages from them, delivery to their address, and the bank’s confirmation if there was one.',
    product_not_received:
      'The customer says that nothing arrived. Show the carrier, the tracking number, the delivery date and the address; for a service or a download, when it was used.',
    product_unacceptable:
      'The customer says that what arrived is not what was promised. Show what you described, what you sent, what you answered and which return or exchange you offered.',
    duplicate:
      'The customer says that they were charged twice. Show that the two payments are for two orders, or which refund you made.',
    credit_not_processed:
      'The customer says that a refund is missing. Show the refund, or the refund policy that they accepted and why it does not apply.',
    subscription_canceled:
      'The customer says that they had canceled. Show the terms they accepted, and that they used what they paid for afterwards.',
    unrecognized:
      'The cardholder does not recognize the payment. Show what was bought, when and by whom, and how your name appears on their statement.',
  },
  otherAdvice:
    'Show what was ordered, by whom, how it was delivered, what you wrote to the customer and which refund policy the customer accepted.',
  filledIn: (field: string) =>
    `We filled in “${field}” with what we know about the payment. Check it, add your evidence and save the draft.`,
  savedAt: 'Draft saved at {time}',
  packet: 'The evidence as the payment network will receive it',
  facts: {
    order: (reference: string) => `Order: ${reference}`,
    description: (description: string) => `For: ${description}`,
    item: (quantity: number, name: string, amount: string) => `Item: ${quantity} × ${name}, ${amount}`,
    amount: (amount: string) => `Amount: ${amount}`,
    paid: (at: string) => `Paid: ${at}`,
    customer: (customer: string) => `Customer: ${customer}`,
    card: (brand: string, last4: string) => `Card: ${brand} ending in ${last4}`,
    authenticated: 'The bank had the customer confirm the payment (3-D Secure).',
    notAuthenticated: 'The bank approved the payment without asking the customer to confirm it.',
    refunded: (amount: string) => `Refunded: ${amount}`,
  },
  submitted: 'Evidence submitted',
  closed: 'Closed',
  evidence: 'Evidence',
  evidenceFields: {
    productDescription: 'Product or service description',
    customerCommunication: 'Communication with the customer',
    shippingTracking: 'Shipping and tracking',
    refundPolicy: 'Refund policy, and how it was shown',
    uncategorizedText: 'Anything else',
  },
  evidenceHints: {
    productDescription: 'What you sold, as the customer saw it.',
    customerCommunication: 'Messages between you and the customer, with their dates.',
    shippingTracking: 'Carrier, tracking number, and the day and address of delivery.',
    refundPolicy: 'Its text, and where the customer saw it before paying.',
  },
  /** The state of a folded field. */
  filled: 'Filled in',
  notFilled: 'Empty',
  story: 'What happened, with dates',
  storyHelp: 'From the timeline of the payment. Copy what helps into a field.',
  evidenceHelp: (max: string) => `Up to ${max} characters in total. Don't enter card numbers.`,
  autoSubmit: 'Submit the draft automatically one hour before the deadline',
  saveDraft: 'Save draft',
  noEvidence: 'No evidence.',

  // Its files
  files: 'Files',
  filesText:
    'Stored with this dispute for your team. The payment network receives only the text fields, so describe there what a file shows.',
  file: 'Add a file',
  fileHelp: 'PDF, PNG or JPEG, up to 2 MB each. Up to 5 files, 5 MB in total.',
  fileTypes: { 'application/pdf': 'PDF', 'image/png': 'PNG', 'image/jpeg': 'JPEG' },
  addFile: 'Add file',
  removeFile: 'Remove',
  removeFileOf: (name: string) => `Remove ${name}`,
  keptFiles: 'Files for your team, not submitted',
  noFile: 'Choose a file first.',
  fileTooLarge: 'The file is larger than 2 MB. Choose a smaller one.',
  fileType: "The file isn't a PDF, PNG or JPEG. Convert it and try again.",
  noRoom: {
    tooMany: 'This dispute already has 5 files. Remove one before you add another.',
    tooLarge: 'Together, the files would be larger than 5 MB. Remove one or choose a smaller file.',
  },

  evidenceHoldsCard: 'The evidence looks like it contains a card number. Remove the number.',
  evidenceInvalid: (max: string) =>
    `The evidence can't be used. Save a draft of plain text, with at most ${max} characters in total.`,

  // Its answer
  response: 'Your response',
  responseText: 'Submit your evidence, or accept the dispute. Both are final, and you confirm them first.',
  lateTitle: 'The deadline has passed',
  lateResponseText: 'You can no longer submit evidence.',
  lateAnswerText: 'The payment network decides now. You have nothing to do.',
  lateAccept: 'Accept the dispute instead',
  submit: 'Submit evidence',
  accept: 'Accept dispute',
  nothingToSubmit: 'There is no evidence to submit. Write something in at least one field.',
  submitQuestion: 'Submit the evidence?',
  submitText: (names: string) => `The payment network receives: ${names}. You can't add anything later.`,
  submitConfirm: 'Submit now',
  acceptQuestion: 'Accept the dispute?',
  acceptText: (amount: string) => `The customer keeps ${amount} and the dispute is lost.`,
  acceptConfirm: (amount: string) => `Give up ${amount}`,
} as const;
