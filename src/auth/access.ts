import type { Role } from '../model/principal.ts';

/**
 * Who may use an endpoint: a row of the spec's "Endpoint auth matrix" with the minimum role of
 * "Roles". Where the two differ, the stricter one holds.
 */
export interface AuthRow {
  apiToken: boolean;
  /** As the bearer, or in `X-CRA-Override-Token` next to an API token. */
  overrideToken: boolean;
  /** Browser sessions: none, those whose role reaches `role`, or those of admins alone. */
  session: 'no' | 'any' | 'admin';
  /** `dev mode only`: while authentication is switched off. */
  unauthenticated: 'yes' | 'dev mode only' | 'no';
  /** Least role of a person who comes with a JWT (or a session); null: no person may. */
  role: Role | null;
  /**
   * What changes verdicts or their rules. Dev mode opens it, too, but only until an override
   * token or an admin login is configured: from then on one of these is needed.
   */
  guarded: boolean;
}

const READ: AuthRow = {
  apiToken: true,
  overrideToken: false,
  session: 'any',
  unauthenticated: 'dev mode only',
  role: 'viewer',
  guarded: false,
};

const OVERRIDE: AuthRow = {
  apiToken: false,
  overrideToken: true,
  session: 'admin',
  unauthenticated: 'no',
  role: 'cab-member',
  guarded: true,
};

/** The rows there are, named by what they protect. */
export const ACCESS = {
  /** Health; also the webhook, whose signature its handler checks. */
  everybody: {
    apiToken: false,
    overrideToken: false,
    session: 'no',
    unauthenticated: 'yes',
    role: null,
    guarded: false,
  },
  /** Reads: RFCs, prod-check, webhook-status, usage sums, rules, dispatcher/status. */
  read: READ,
  /** analyze, ops-log, claude-task. */
  submit: { ...READ, role: 'submitter' },
  /** pending-tasks, task-status, usage/log: "token only", no person. */
  machine: { ...READ, session: 'no', role: null },
  /** What a browser asks about its own session. */
  person: { ...READ, apiToken: false, unauthenticated: 'no' },
  /** override, approve. */
  override: OVERRIDE,
  /** Rejecting waves nothing through: no override token, and a session by its role. */
  reject: {
    ...OVERRIDE,
    overrideToken: false,
    session: 'any',
    unauthenticated: 'dev mode only',
    guarded: false,
  },
  bulkOverride: { ...OVERRIDE, role: 'admin' },
  /** DELETE rfc and its POST form. */
  erase: { ...OVERRIDE, overrideToken: false, role: 'admin' },
  /** PUT rules. */
  rules: { ...OVERRIDE, overrideToken: false, role: 'change-manager' },
} as const satisfies Record<string, AuthRow>;
