import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns the signature of the list of sites that may frame the page around a frame: HMAC-SHA256 under
 * CARD_FRAME_KEY, base64url. The frames accept no unsigned list. `frame`: the capture's id at the vault, or
 * the publishable key of the wallets' buttons. ADR 0067.
 */
export const signAncestors = (key: string, frame: string, ancestors: string): string =>
  createHmac('sha256', key).update(`card frame ancestors\0${frame}\0${ancestors}`).digest('base64url');

/** Returns whether a list was signed with this key for this frame, in constant time. */
export function areSignedAncestors(
  key: string,
  frame: string,
  { ancestors, signature }: { ancestors: string; signature: string },
): boolean {
  const right = Buffer.from(signAncestors(key, frame, ancestors));
  const given = Buffer.from(signature);
  return given.length === right.length && timingSafeEqual(given, right);
}
