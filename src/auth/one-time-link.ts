import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AUTH } from '../limits.ts';
import { digestOf } from './tokens.ts';

/** The way in for an admin where no other is configured: printed at the start, good for once. */
export interface OneTimeLink {
  /** What the link holds; shown to nobody but the operator's terminal. */
  readonly token: string;
  /** True for the first right token within AUTH.ONE_TIME_LINK_MS, and never again. */
  redeem(presented: string): boolean;
}

/** Creates a link whose time begins now. */
export function createOneTimeLink(now: () => number): OneTimeLink {
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
      return true;
    },
  };
}
