import { isIP } from 'node:net';

/**
 * The address of the client behind a proxy of ours: the last one that `X-Forwarded-For` names,
 * which is what the nearest proxy saw; what stands before it, the client may have made up.
 * Without a usable one, the address that the connection came from.
 */
export function forwardedAddress(forwardedFor: string, remoteAddress: string): string {
  const last = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last;
  return isIP(bare) === 0 ? remoteAddress : bare;
}
