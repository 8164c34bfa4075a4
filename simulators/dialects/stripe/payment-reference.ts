interface Referring {
  metadata: Record<string, string>;
  confirmKey: string | null;
}

/**
 * Returns the payment of an object: `paymentId` or `payment_id` of its metadata, else the one in its
 * idempotency key (`<paymentId>:<attemptNo>`), else null.
 */
export function paymentIdOf({ metadata, confirmKey }: Referring): string | null {
  return metadata['paymentId'] ?? metadata['payment_id'] ?? /^(.+):\d+$/.exec(confirmKey ?? '')?.[1] ?? null;
}

/** The attempt an object belongs to, as `<paymentId>:<attemptNo>`. */
export function attemptIdOf(of: Referring): string | null {
  const paymentId = paymentIdOf(of);
  if (of.confirmKey !== null && /^.+:\d+$/.test(of.confirmKey)) return of.confirmKey;
  const { metadata } = of;
  const attempt = metadata['attempt'] ?? metadata['attemptNo'] ?? metadata['attempt_no'];
  return paymentId === null || attempt === undefined ? of.confirmKey : `${paymentId}:${attempt}`;
}
