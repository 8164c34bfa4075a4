/**
 * Search attributes and their types, registered before first use: an unregistered one fails the start. Values
 * are clear text and hold no customer data.
 */
export const searchAttributes = {
  MerchantId: 'Keyword',
  PaymentEnvironment: 'Keyword',
  PaymentStatus: 'Keyword',
  CheckoutStatus: 'Keyword',
  AttemptsLeft: 'Int',
  AmountCents: 'Int',
  NeedsAttention: 'Bool',
} as const;
