export const refunds = {
  title: 'Refunds',
  statuses: 'Refunds by status',
  empty: 'No refunds yet. To refund a payment, open {paid}.',
  noMatch: 'No refunds match. To refund a payment, open {paid}.',
  paidPayment: 'a paid payment',
  payment: 'Payment',
  amount: 'Amount',
  refunded: 'Refunded',
  pending: 'Pending',
  reason: 'Reason',
  created: 'Created',
  cancelLabel: (amount: string) => `Cancel the refund of ${amount}`,
  cancelQuestion: (amount: string) => `Cancel the refund of ${amount}?`,
  cancelText: (amount: string) =>
    `The customer won't get ${amount} back. The refund hasn't been sent to the payment network yet. You can create another one later.`,
  cancelConfirm: 'Cancel refund',
} as const;
