import { ASK_A_PERSON } from '../model/agent.ts';
import { CraError, type ErrorDetails } from '../model/errors.ts';
import type { BoundKind, Principal, Role, TokenBounds } from '../model/principal.ts';

/**
 * The credentials that an endpoint accepts: a row of the spec's "Endpoint auth matrix" with the
 * minimum role of "Roles". Where the two differ, the stricter one holds.
 */
export interface AuthRow {
  apiToken: boolean;
  /** As the bearer, or in `X-CRA-Override-Token` next to an API token. */
  overrideToken: boolean;
  /** The override token of agents, sent in the same way. */
  agentToken: boolean;
  /**
   * Browser sessions: none, sessions with `role` or more, sessions of admins, or, `decides`,
   * whichever of these two SERVICE_SESSION_DECISIONS says.
   */
  session: 'no' | 'any' | 'admin' | 'decides';
  /**
   * `dev mode ...`: while authentication is switched off, in all cases, or until there is somebody
   * with privilege (an override token, one of agents, an issuer or an admin login) or an API token
   * configured.
   */
  unauthenticated:
    | 'yes'
    | 'dev mode only'
    | 'dev mode without privilege'
    | 'dev mode without API token'
    | 'no';
  /** Least role of a person with a JWT or a session; null: the endpoint is for machines. */
  role: Role | null;
}

const READ: AuthRow = {
  apiToken: true,
  overrideToken: false,
  agentToken: false,
  session: 'any',
  unauthenticated: 'dev mode only',
  role: 'viewer',
};

const OVERRIDE: AuthRow = {
  apiToken: false,
  overrideToken: true,
  agentToken: true,
  session: 'decides',
  unauthenticated: 'dev mode without privilege',
  role: 'cab-member',
};

/** Of people only, each by role. */
const PERSON_WRITE: AuthRow = {
  ...OVERRIDE,
  overrideToken: false,
  agentToken: false,
  session: 'any',
  unauthenticated: 'dev mode only',
};

/** What sessions do as admins alone, and nobody without a credential once there are privileges. */
const PRIVILEGED = { session: 'admin', unauthenticated: 'dev mode without privilege' } as const;

/** All rows, named by the endpoints that they protect. */
export const ACCESS = {
  /** Health; also the webhook, whose signature its handler checks. */
  everybody: {
    apiToken: false,
    overrideToken: false,
    agentToken: false,
    session: 'no',
    unauthenticated: 'yes',
    role: null,
  },
  /** Reads: RFCs, prod-check, webhook-status, usage sums, rules, dispatcher/status. */
  read: READ,
  /** analyze, ops-log, claude-task. */
  submit: { ...READ, role: 'submitter' },
  /** pending-tasks, task-status, usage/log: "token only", no person. */
  machine: { ...READ, session: 'no', role: null, unauthenticated: 'dev mode without API token' },
  /** What a person may do. */
  self: { ...READ, apiToken: false },
  /** The questions of a browser about its own session. */
  person: { ...READ, apiToken: false, unauthenticated: 'no' },
  /** override, approve; agents override only, which the decision itself holds. */
  override: OVERRIDE,
  reviewEmergency: { ...OVERRIDE, agentToken: false },
  /** Rejecting accepts nothing: no override token, and a session by its role. */
  reject: PERSON_WRITE,
  /** Findings and comments by people: no machine has an opinion. */
  addFinding: { ...PERSON_WRITE, role: 'submitter' },
  comment: { ...PERSON_WRITE, role: 'reviewer' },
  /** Ending the acceptance of a fingerprint: it makes the rules stricter. */
  endAcceptance: { ...PERSON_WRITE, role: 'change-manager' },
  /** Another review by a model: people only, sessions by their role. */
  review: { ...PERSON_WRITE, role: 'reviewer' },
  /** The audit trail: for people who answer for it. */
  audit: {
    ...READ,
    apiToken: false,
    unauthenticated: 'dev mode without privilege',
    role: 'change-manager',
  },
  bulkOverride: { ...OVERRIDE, agentToken: false, session: 'admin', role: 'admin' },
  /** DELETE rfc and its POST form. */
  erase: { ...PERSON_WRITE, ...PRIVILEGED, role: 'admin' },
  /** Delivering events again: to receivers that the settings name. */
  replayEvents: { ...READ, role: 'change-manager' },
  /** Trying rules on recent RFCs: it stores nothing, and tells no more than reading the RFCs. */
  tryRules: { ...READ, role: 'submitter' },
  /** PUT rules. */
  rules: { ...PERSON_WRITE, ...PRIVILEGED, role: 'change-manager' },
} as const satisfies Record<string, AuthRow>;

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
    details: ErrorDetails = {},
  ) {
    super(code, message, { details });
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

/** 403: the caller is known but not allowed. `message` names the needed credential or role. */
export function denied(principalId: string, message: string): AuthRefusal {
  return new AuthRefusal('PERMISSION_DENIED', message, { reason: message, principalId }, false);
}

/** Throws PERMISSION_DENIED when the caller has an API token that is bound to other names. */
export type RequireBound = (principal: Principal, kind: BoundKind, name: string) => void;

/** Creates the check from the setting SERVICE_API_TOKEN_BOUNDS. */
export function createBoundCheck(bounds: TokenBounds): RequireBound {
  return ({ id, credential }, kind, name) => {
    if (credential !== 'api-token') return;
    const names = bounds[id.slice(`${credential}:`.length)]?.[kind];
    if (names === undefined || names.includes(name.toLowerCase())) return;
    throw denied(id, `this API token is bound to other ${kind} (SERVICE_API_TOKEN_BOUNDS)`);
  };
}

/** 403 for the token of agents: `approveUrl` is where a person decides. */
export function deniedToAgent(principalId: string): AuthRefusal {
  const reason = 'the token of agents is for single overrides';
  const message = `CRA_AGENT_OVERRIDE_TOKEN: ${reason}; a person has to do this at the dashboard`;
  const known = { reason, principalId };
  return new AuthRefusal('PERMISSION_DENIED', message, known, false, { ...ASK_A_PERSON });
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
