import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that are not of the public internet: of this machine, of local networks, of cloud
 * metadata services, and what leads to them. IANA special-purpose registries (RFC 6890).
 */
const SPECIAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv4');
}
/** The one range of public addresses of IPv6, and what in it is special or leads to IPv4. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address is one of the public internet; false for another text. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !SPECIAL.check(address, 'ipv4');
  if (family !== 6) return false;
  return GLOBAL.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

/** Whether an address names its host by the number of a private one. */
export function isPrivateNumber({ hostname }: URL): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) !== 0 && !isPublicAddress(literal);
}

/** Why no connection is made. */
export const PRIVATE = 'the receiver has a private address: see allow_private';

/** Resolves a name to its public addresses alone; an error where it has no such address. */
export const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    const found = addresses.filter(({ address }) => isPublicAddress(address));
    const [first] = found;
    if (first === undefined) return done(new Error(PRIVATE), '', 0);
    if (options.all === true) return done(null, found as LookupAddress[]);
    done(null, first.address, first.family);
  });
};
