/** Returns the provider's key of an attempt: one attempt, one key, whatever runs again. */
export const attemptKey = (paymentId: string, attemptNo: number): string => `${paymentId}:${attemptNo}`;
