import { CraError } from '../model/errors.ts';

/** What the log is told of a refusal beside the answer; never a part of a credential. */
interface Circumstances {
  /** Why, in the words of the check that failed. */
  reason: string;
  /** Who was refused; null: nobody that was recognised. */
  principalId: string | null;
}

/** 401 or 403. One sentence for the caller, the circumstances for the log. */
export class AuthRefusal extends CraError {
  readonly reason: string;
  readonly principalId: string | null;
  /** Whether a credential was tried and found wrong: what is counted against guessing. */
  readonly isFailedAttempt: boolean;

  constructor(
    code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED',
    message: string,
    { reason, principalId }: Circumstances,
    isFailedAttempt: boolean,
  ) {
    super(code, message);
    this.reason = reason;
    this.principalId = principalId;
    this.isFailedAttempt = isFailedAttempt;
  }
}

/** 401: nothing was shown that proves anything. */
export function missing(): AuthRefusal {
  const known = { reason: 'no credential', principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'a bearer token is required', known, false);
}

/** 401: what was shown is wrong. The caller is not told how. */
export function invalid(reason: string): AuthRefusal {
  const known = { reason, principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'the credential is not valid', known, true);
}

/** 401: what was shown can't be checked now, right or wrong. */
export function unverifiable(reason: string): AuthRefusal {
  const known = { reason, principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'the credential is not valid', known, false);
}

/** 403: the caller is known and may not. `message` says what is needed. */
export function denied(principalId: string, message: string): AuthRefusal {
  return new AuthRefusal('PERMISSION_DENIED', message, { reason: message, principalId }, false);
}

/** 401: there was a session, and it is over. */
export function ended(): AuthRefusal {
  const known = { reason: 'the session is over', principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'the session is over; log in again', known, false);
}

/** 401: a login that did not succeed. */
export function failedLogin(reason: string): AuthRefusal {
  const known = { reason: `login: ${reason}`, principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'the login failed; begin again', known, true);
}
