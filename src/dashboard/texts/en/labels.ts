/** Names of the API whose words are not simply their label. The rest is split into words. */
export const labels: Readonly<Record<string, string>> = {
  amex: 'American Express',
  apiKey: 'API key',
  disputeLost: 'Dispute lost',
  disputeWon: 'Dispute won',
  missing: 'Not connected',
  off: 'Off',
  preArbitration: 'Pre-arbitration',
  readOnly: 'Read-only',
  released: 'Not sent',
  requestedByCustomer: 'Requested by the customer',
  retrying: 'Retrying',
  voided: 'Canceled',
};
