import { isIPv6 } from 'node:net';
import { createRateLimiter } from '../core/pacing.ts';
import { AUTH } from './limits.ts';

/** Limits failed attempts by the network that they come from. */
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

const SECOND_MS = 1_000;

/** A rate limiter over the networks of as many addresses as AUTH.ADDRESSES_MAX. */
export function createFailedAttempts(options: AttemptsOptions): FailedAttempts {
  const { now, attemptsMax: max, windowMs } = options;
  const limiter = createRateLimiter({ max, windowMs, keysMax: AUTH.ADDRESSES_MAX, now });
  return {
    add: (address) => Math.ceil(limiter.take(networkOf(address)) / SECOND_MS),
    forgive: (address) => limiter.forget(networkOf(address)),
  };
}

/**
 * What counts as one sender: an IPv4 address, or the /64 of an IPv6 address, as one host owns all
 * of it and could change its address with each attempt. Other text stays as it is.
 */
export function networkOf(address: string): string {
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
