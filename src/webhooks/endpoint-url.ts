import { isIP } from 'node:net';
import { checkUri } from '../domain/urls.ts';
import { isPublicAddress, loopbackAddresses } from './addresses.ts';

export interface EgressRules {
  /** In development, the loopback addresses are allowed too, with plain HTTP and on any port. */
  allowLoopback: boolean;
}

/** Returns the host of a URL as a resolver takes it: without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Returns whether deliveries may connect to an address. */
export const isAllowedAddress = (address: string, rules: EgressRules): boolean =>
  isPublicAddress(address) || (rules.allowLoopback && loopbackAddresses.includes(address));

/**
 * Returns the URL if it may be an endpoint's: HTTPS on port 443, or loopback in development, and no literal
 * address outside the public internet, in any spelling. Names are checked when they are resolved, at each
 * delivery. `reason` completes "url …". docs/webhooks.md.
 */
export function checkEndpointUrl(
  raw: string,
  rules: EgressRules,
): { ok: true; url: URL } | { ok: false; reason: string } {
  const checked = checkUri(raw, { allowHttpLoopback: rules.allowLoopback });
  if (!checked.ok) return checked;
  const { url } = checked;
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowedAddress(host, rules)) {
    return { ok: false, reason: 'must not be a private or reserved address' };
  }
  if (!rules.allowLoopback && url.port !== '') return { ok: false, reason: 'must use port 443' };
  if (!rules.allowLoopback && /(^|\.)localhost\.?$/.test(host)) {
    return { ok: false, reason: 'must not be a private or reserved address' };
  }
  return { ok: true, url };
}
