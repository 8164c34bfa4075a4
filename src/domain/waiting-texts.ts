/**
 * The next step of a payment that is not final, one sentence for each wait. Shown in `waitingFor.next`, in
 * the dashboard and by `payment why`. docs/readings.md.
 */
export const waitingTexts = {
  operator: 'The service keeps checking this payment but cannot complete it. An operator was alerted.',
  closing: 'Closing the checkout.',
  merchantDisabled:
    'The merchant is disabled, so no attempt can begin. The checkout closes unpaid at the deadline.',
  captureOver:
    'Cards can no longer be captured. The checkout closes unpaid unless a card that was captured earlier is charged.',
  customerPays: 'Waiting for the customer to pay. The checkout closes unpaid at the deadline.',
  customerRetries: 'The customer can try again. The checkout closes unpaid at the deadline.',
  outcomeUnknown: (attemptNo: number) =>
    `The outcome of attempt ${attemptNo} is unknown. The service queries the network until it answers.`,
  checkoutClosed: (attemptNo: number) =>
    `The checkout is closed. Attempt ${attemptNo} is being canceled at the network unless it was already paid.`,
  confirming: "Completing or canceling the customer's step.",
  closingStep: 'Closing the checkout and its open step.',
  customerConfirms: "Waiting for the customer's confirmation. At the deadline the step is canceled.",
  sending: 'The attempt is about to be sent. If no worker takes it, it is canceled.',
  verifyingCard: 'Verifying the card with the vault.',
  charging: 'Waiting for the network to decide the attempt.',
  refundDelayed: 'The refund can be canceled until the deadline. Then it is submitted to the network.',
  refunding: 'Waiting for the network to decide the refund.',
  evidenceDue: 'The merchant must submit evidence or accept the dispute before the deadline.',
  disputeDecision: 'Waiting for the network to decide the dispute.',
};
