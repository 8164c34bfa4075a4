import { BlockList, isIP, isIPv4 } from 'node:net';

/** The most entries of a list. */
export const maxAddresses = 50;

/** Returns whether a text is an IP address or a network in CIDR notation, such as `10.0.0.0/8`. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128);
}

/** Returns whether an address is in a list of addresses and networks. */
export function isListed(list: readonly string[], caller: string): boolean {
  // An IPv4 caller of a socket that accepts both families has this prefix.
  const address = caller.replace(/^::ffff:(?=\d+\.)/i, '');
  const known = new BlockList();
  for (const entry of list) {
    const [base = '', prefix] = entry.split('/');
    const family = isIPv4(base) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) known.addAddress(base, family);
    else known.addSubnet(base, Number(prefix), family);
  }
  return known.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
