import { CraError } from '../model/errors.ts';

/** What the log says of a refusal beside the answer; never a part of a credential. */
interface Circumstances {
  /** Why, in the words of the check that failed. */
  reason: string;
  /** The caller that was refused; null: it was not recognised. */
  principalId: string | null;
}

/** 401 or 403. One sentence for the caller, the circumstances for the log. */
export class AuthRefusal extends CraError {
  readonly reason: string;
  readonly principalId: string | null;
  /** Whether a wrong credential was tried: these are counted, against guessing. */
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

/** The reason of a refusal without any credential. */
export const NO_CREDENTIAL = 'no credential';

/** 401: there is no credential. */
export function missing(): AuthRefusal {
  const known = { reason: NO_CREDENTIAL, principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'a bearer token is required', known, false);
}

/** 401: the credential is wrong. The caller does not learn how. */
export function invalid(reason: string): AuthRefusal {
  const known = { reason, principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'the credential is not valid', known, true);
}

/** 401: the credential cannot be checked now, right or wrong. */
export function unverifiable(reason: string): AuthRefusal {
  const known = { reason, principalId: null };
  return new AuthRefusal('UNAUTHENTICATED', 'the credential is not valid', known, false);
}

/** 403: the caller is known but not allowed. `message` says what is needed. */
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
