import { networkOf } from '../../auth/failed-attempts.ts';
import { HTTP } from '../../limits.ts';

/** Bodies whose sender has proved nothing yet, by address (a /64 of IPv6 is one). */
export interface UnprovenBodies {
  /** Counts bytes, the first ones as a body; false, with nothing counted, above a cap. */
  add(address: string, bytes: number, isFirst: boolean): boolean;
  /** Counts a body and its bytes no more: proved, refused or gone. */
  remove(address: string, bytes: number): void;
  /** A valid signature came from there: no cap for HTTP.PROVEN_ADDRESS_MS. */
  trust(address: string): void;
}

/** Creates the count; `now` is in ms. */
export function createUnprovenBodies(now: () => number): UnprovenBodies {
  const counted = new Map<string, { bodies: number; bytes: number }>();
  const trustedUntil = new Map<string, number>();
  return {
    add(address, added, isFirst) {
      const network = networkOf(address);
      const held = counted.get(network) ?? { bodies: 0, bytes: 0 };
      const bodies = held.bodies + (isFirst ? 1 : 0);
      const bytes = held.bytes + added;
      const isAbove =
        bodies > HTTP.UNPROVEN_BODIES_PER_ADDRESS_MAX ||
        bytes > HTTP.UNPROVEN_BYTES_PER_ADDRESS_MAX;
      if (isAbove && (trustedUntil.get(network) ?? 0) <= now()) return false;
      counted.set(network, { bodies, bytes });
      return true;
    },
    remove(address, bytes) {
      const network = networkOf(address);
      const held = counted.get(network);
      if (held === undefined) return;
      if (held.bodies === 1) counted.delete(network);
      else counted.set(network, { bodies: held.bodies - 1, bytes: held.bytes - bytes });
    },
    trust(address) {
      const network = networkOf(address);
      trustedUntil.delete(network);
      trustedUntil.set(network, now() + HTTP.PROVEN_ADDRESS_MS);
      const [oldest] = trustedUntil.keys();
      if (trustedUntil.size > HTTP.PROVEN_ADDRESSES_MAX && oldest !== undefined) {
        trustedUntil.delete(oldest);
      }
    },
  };
}
