import { isIPv6 } from 'node:net';
import { AUTH } from '../limits.ts';

/** Counts attempts by where they come from. */
export interface FailedAttempts {
  /** Counts one, unless there were too many: then, the seconds to wait for the next; else 0. */
  add(address: string): number;
  /** Takes back all that were counted, after one that succeeded. */
  forgive(address: string): void;
}

export interface AttemptsOptions {
  now(): number;
  /** Attempts in a row, and the time in which as many come back. */
  attemptsMax: number;
  windowMs: number;
}

interface Bucket {
  left: number;
  atMs: number;
}

const SECOND_MS = 1_000;

/** A token bucket for each address, for as many addresses as AUTH.ADDRESSES_MAX. */
export function createFailedAttempts(options: AttemptsOptions): FailedAttempts {
  const { now, attemptsMax, windowMs } = options;
  const buckets = new Map<string, Bucket>();
  const perMs = attemptsMax / windowMs;
  return {
    add(address) {
      const key = networkOf(address);
      const nowMs = now();
      const { left, atMs } = buckets.get(key) ?? { left: attemptsMax, atMs: nowMs };
      const filled = Math.min(attemptsMax, left + Math.max(0, nowMs - atMs) * perMs);
      const isCounted = filled >= 1;
      buckets.delete(key);
      buckets.set(key, { left: isCounted ? filled - 1 : filled, atMs: nowMs });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= AUTH.ADDRESSES_MAX) break;
        buckets.delete(oldest);
      }
      return isCounted ? 0 : Math.ceil((1 - filled) / perMs / SECOND_MS);
    },
    forgive(address) {
      buckets.delete(networkOf(address));
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
