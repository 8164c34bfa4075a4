import { BlockList, isIP } from 'node:net';

/** IPv4 networks without public hosts (IANA special-purpose registry and multicast). */
const specialIpv4: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Special networks in 2000::/3, the only IPv6 block with public hosts. */
const specialIpv6: readonly [network: string, prefix: number][] = [
  // Teredo, benchmarking, AMT, ORCHID and others.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 carries any IPv4 address.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const refusedIpv4 = new BlockList();
for (const [network, prefix] of specialIpv4) refusedIpv4.addSubnet(network, prefix, 'ipv4');
const publicIpv6 = new BlockList();
publicIpv6.addSubnet('2000::', 3, 'ipv6');
const refusedIpv6 = new BlockList();
for (const [network, prefix] of specialIpv6) refusedIpv6.addSubnet(network, prefix, 'ipv6');

/** The loopback addresses as a resolver spells them; allowed in development only. */
export const loopbackAddresses: readonly string[] = ['127.0.0.1', '::1'];

/**
 * Returns whether an IP address, as a resolver or a parsed URL spells it, is one of the public internet.
 * Mapped and translated IPv4 (`::ffff:…`, NAT64, 6to4, Teredo) and zones are never public, because no
 * merchant needs them and they reach private hosts.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedIpv4.check(address, 'ipv4');
    case 6:
      return (
        !address.includes('%') && publicIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6')
      );
    default:
      return false;
  }
}
