import { isIPv6 } from 'node:net';
import { AUTH } from '../limits.ts';

/** Counts wrong credentials by where they come from. */
export interface FailedAttempts {
  /** Seconds that the sender must wait before it is told of the next one; 0: it is told now. */
  add(address: string): number;
}

interface Bucket {
  left: number;
  atMs: number;
}

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** A token bucket for each address, for as many addresses as AUTH.ADDRESSES_MAX. */
export function createFailedAttempts(now: () => number): FailedAttempts {
  const buckets = new Map<string, Bucket>();
  const perMs = AUTH.FAILURES_PER_MINUTE / MINUTE_MS;
  return {
    add(address) {
      const key = networkOf(address);
      const nowMs = now();
      const { left, atMs } = buckets.get(key) ?? { left: AUTH.FAILURES_PER_MINUTE, atMs: nowMs };
      const filled = Math.min(AUTH.FAILURES_PER_MINUTE, left + Math.max(0, nowMs - atMs) * perMs);
      const isCounted = filled >= 1;
      buckets.delete(key);
      buckets.set(key, { left: isCounted ? filled - 1 : filled, atMs: nowMs });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= AUTH.ADDRESSES_MAX) break;
        buckets.delete(oldest);
      }
      return isCounted ? 0 : Math.ceil((1 - filled) / perMs / SECOND_MS);
    },
  };
}

/** One host owns a whole /64 of IPv6 and could change its address with each attempt. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^[0:]*:ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':');
}
