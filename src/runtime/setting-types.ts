import { isIP } from 'node:net';
import { z } from 'zod';

/** An address by HTTP or HTTPS. */
export const url = z.url({ protocol: /^https?$/ });

/** A TCP port; 0 takes a free one. */
export const port = z.coerce.number().int().min(0).max(65535);

/** Returns whether a text is an IP address, or a network that does not cover all addresses. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  const width = version === 4 ? 32 : 128;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= width);
}
