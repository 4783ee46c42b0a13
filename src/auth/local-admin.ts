import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { type PasswordHash, writePasswordHash } from '../core/credentials.ts';
import { CraError } from '../model/errors.ts';
import { DEFAULT_TENANT, type Principal } from '../model/principal.ts';
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
 * also the delay for those who guess from many addresses.
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
