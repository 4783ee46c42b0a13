import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type PasswordHash, writePasswordHash } from '../core/credentials.ts';
import { createRateLimiter } from '../core/rate-limit.ts';
import { type AuditEvent, plainEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { DEFAULT_TENANT, type LoginEvent, type Principal } from '../model/principal.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { digestOf } from './authenticate.ts';
import { AUTH } from './limits.ts';

/** The one local account. */
export const LOCAL_ADMIN: Principal = {
  id: 'local-admin',
  name: null,
  credential: 'session',
  role: 'admin',
  tenant_id: DEFAULT_TENANT,
};

/** Whether this is the password. Rejects with RESOURCE_EXHAUSTED when too many wait. */
export type PasswordCheck = (password: string) => Promise<boolean>;

/**
 * Checks passwords one after the other, as each takes 128 MiB and a core for a while. That is
 * also the delay for guesses from many addresses.
 */
export function createPasswordCheck(known: PasswordHash): PasswordCheck {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (password) => {
    if (waiting >= AUTH.PASSWORD_WAITING_MAX) {
      throw new CraError('RESOURCE_EXHAUSTED', 'too many logins at once; try again later');
    }
    waiting += 1;
    const mine = last.then(() => derive(password, known));
    last = mine.catch(() => undefined);
    try {
      return timingSafeEqual(await mine, known.hash);
    } finally {
      waiting -= 1;
    }
  };
}

/** Hashes a new password as `createPasswordCheck` reads it; in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const logCost = AUTH.SCRYPT_LOG_COST;
  const salt = randomBytes(16);
  const made = { logCost, blockSize: 8, parallelism: 1, salt, hash: Buffer.alloc(32) };
  return writePasswordHash({ ...made, hash: await derive(password, made) });
}

function derive(password: string, known: PasswordHash): Promise<Buffer> {
  const { logCost, blockSize, parallelism, salt, hash } = known;
  const options = {
    N: 2 ** logCost,
    r: blockSize,
    p: parallelism,
    maxmem: AUTH.SCRYPT_MEMORY_BYTES_MAX,
  };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hash.length, options, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
}

/** The login of an admin where no other is configured: made at the start, valid once. */
export interface OneTimeLink {
  /** The secret in the link; it stands in a file that only the operator can read. */
  readonly token: string;
  /** True for the first right token within AUTH.ONE_TIME_LINK_MS, and never again. */
  redeem(presented: string): boolean;
}

/** Creates a link whose time begins now; `onUsed` is called when it has let somebody in. */
export function createOneTimeLink(now: () => number, onUsed: () => void): OneTimeLink {
  const token = randomBytes(32).toString('base64url');
  const wanted = digestOf(token);
  const untilMs = now() + AUTH.ONE_TIME_LINK_MS;
  let isUsed = false;
  return {
    token,
    redeem(presented) {
      const isRight = timingSafeEqual(wanted, digestOf(presented));
      if (!isRight || isUsed || now() >= untilMs) return false;
      isUsed = true;
      onUsed();
      return true;
    },
  };
}

/** Limits failed attempts by the network that they come from. */
export interface FailedAttempts {
  /** Counts one, unless there were too many: then, the seconds to wait for the next; else 0. */
  add(address: string): number;
  /** Forgets the counted failures, after a login that succeeded. */
  forgive(address: string): void;
}

interface AttemptsOptions {
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
  // The expression behind isIPv6 takes longer than the rest, and most addresses are of IPv4.
  if (!address.includes(':') || !isIPv6(address)) return address;
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

interface LoginTrailOptions {
  trail: Pick<TrailStore, 'appendEvent'>;
  now(): number;
  /** Receives what could not be written. */
  onError(error: CraError): void;
}

/**
 * Records logins in the audit trail. No login waits for its entry: a person who looks after a
 * service whose trail is full has to get in. Floods are cut off by address or person, failures also
 * as a whole; the next entry says how many were left out or could not be written (`untold`, the
 * stored name of `omitted`), and the log has each.
 */
export function createLoginTrail(options: LoginTrailOptions): (event: LoginEvent) => void {
  const { trail, now, onError } = options;
  const perMinute = (max: number, keysMax: number) =>
    createRateLimiter({ max, windowMs: 60_000, keysMax, now });
  const each = perMinute(AUTH.LOGIN_ENTRIES_PER_MINUTE, AUTH.ADDRESSES_MAX);
  const failures = perMinute(AUTH.FAILED_LOGIN_ENTRIES_PER_MINUTE, 1);
  let omitted = 0;

  function isTooMuch({ principal, remoteAddress }: LoginEvent): boolean {
    if (principal !== null) return each.take(`${principal.tenant_id} ${principal.id}`) > 0;
    return each.take(remoteAddress) > 0 || failures.take('') > 0;
  }

  return (event) => {
    if (isTooMuch(event)) {
      omitted += 1;
      return;
    }
    const before = omitted;
    omitted = 0;
    trail.appendEvent({ event: entryOf(event, before) }).catch((thrown) => {
      // Where the outcome is unknown they may be written twice, but never left out.
      omitted += before + 1;
      onError(CraError.fromUnknown(thrown));
    });
  };
}

function entryOf(
  { event, how, principal, reason, remoteAddress }: LoginEvent,
  omitted: number,
): AuditEvent {
  return plainEvent({
    kind: 'login',
    op_id: randomUUID(),
    principal,
    reason,
    details: { event, how, remote_address: remoteAddress, untold: omitted },
  });
}
