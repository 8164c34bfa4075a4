import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns the signature of the sites that may frame the checkout page of one capture: HMAC-SHA256 under
 * CARD_FRAME_KEY, base64url. The card frame obeys no other list. ADR 0067.
 */
export const signAncestors = (key: string, vaultId: string, ancestors: string): string =>
  createHmac('sha256', key).update(`card frame ancestors\0${vaultId}\0${ancestors}`).digest('base64url');

/** Returns whether a list was signed with this key for this capture, in constant time. */
export function areSignedAncestors(
  key: string,
  vaultId: string,
  { ancestors, signature }: { ancestors: string; signature: string },
): boolean {
  const right = Buffer.from(signAncestors(key, vaultId, ancestors));
  const given = Buffer.from(signature);
  return given.length === right.length && timingSafeEqual(given, right);
}
