/** What operators can search payments by; Temporal refuses a workflow that sets one it does not know. */
export const SEARCH_ATTRIBUTES = {
  MerchantId: 'Keyword',
  PaymentEnvironment: 'Keyword',
  PaymentStatus: 'Keyword',
  CheckoutStatus: 'Keyword',
  AttemptsLeft: 'Int',
  AmountCents: 'Int',
  NeedsAttention: 'Bool',
} as const;
