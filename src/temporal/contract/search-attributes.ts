/**
 * Search attributes and their types. They are registered before first use, because an unregistered one makes
 * the start of a workflow fail. Values are clear text and hold no customer data.
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
