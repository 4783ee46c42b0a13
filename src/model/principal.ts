/** Roles, least first; each includes the permissions of those before it (spec, Roles). */
export const ROLES = [
  'viewer',
  'submitter',
  'reviewer',
  'cab-member',
  'change-manager',
  'admin',
] as const;
export type Role = (typeof ROLES)[number];

/** How a caller proved its identity. `open` is dev mode: authentication is switched off. */
export type Credential =
  | 'open'
  | 'api-token'
  | 'override-token'
  | 'oidc'
  | 'session'
  | 'webhook'
  | 'local';

/** The authenticated caller. Every record and every decision names one. */
export interface Principal {
  /** Stable identifier: token label, `sub` claim, `dev-mode`; never a secret. */
  id: string;
  name: string | null;
  /** The claim of a person's token (spec, OIDC / JWT); absent without one. */
  email?: string;
  credential: Credential;
  role: Role;
  tenant_id: string;
}

/** The tenant of single-tenant installations. */
export const DEFAULT_TENANT = 'default';

/** Whether `role` includes the permissions of `needed`. */
export function roleIncludes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
