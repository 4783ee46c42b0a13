import { networkOf } from '../../auth/failed-attempts.ts';
import { HTTP } from '../../limits.ts';

/** Bytes of bodies whose sender has proved nothing yet, by address (a /64 of IPv6 is one). */
export interface UnprovenBytes {
  /** Counts bytes of an address; false, with nothing counted, above the cap. */
  add(address: string, bytes: number): boolean;
  /** Counts them no more: proved, refused or gone. */
  remove(address: string, bytes: number): void;
  /** A valid signature came from there: no cap for HTTP.PROVEN_ADDRESS_MS. */
  trust(address: string): void;
}

/** Creates the count; `now` is in ms. */
export function createUnprovenBytes(now: () => number): UnprovenBytes {
  const counted = new Map<string, number>();
  const trustedUntil = new Map<string, number>();
  return {
    add(address, bytes) {
      const network = networkOf(address);
      const sum = (counted.get(network) ?? 0) + bytes;
      const isTrusted = (trustedUntil.get(network) ?? 0) > now();
      if (sum > HTTP.UNPROVEN_BYTES_PER_ADDRESS_MAX && !isTrusted) return false;
      counted.set(network, sum);
      return true;
    },
    remove(address, bytes) {
      const network = networkOf(address);
      const left = (counted.get(network) ?? 0) - bytes;
      if (left > 0) counted.set(network, left);
      else counted.delete(network);
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
