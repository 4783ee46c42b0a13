import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AUTH } from '../limits.ts';
import { digestOf } from './tokens.ts';

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
