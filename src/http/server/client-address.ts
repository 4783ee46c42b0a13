import { isIP } from 'node:net';

/**
 * The address of the client behind a proxy of ours: the last one that `X-Forwarded-For` names,
 * which is what the nearest proxy saw; what stands before it, the client may have made up.
 * Without a usable one, the address that the connection came from.
 */
export function forwardedAddress(forwardedFor: string, remoteAddress: string): string {
  const last = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last;
  return isIP(bare) === 0 ? remoteAddress : plainAddress(bare);
}

/**
 * An address as it is usually written: an IPv4 client of a socket for both families has one of
 * IPv6 (RFC 4291, 2.5.5.2), which uWebSockets.js writes out in full. Whatever counts by network
 * would take all of them for one.
 */
export function plainAddress(address: string): string {
  const dotted = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = MAPPED.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  return [high, low].flatMap((pair) => [...Buffer.from(pair.padStart(4, '0'), 'hex')]).join('.');
}

const MAPPED = /^(?:(?:0{1,4}:){5}|::)ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i;
