import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import { TEXT, TEXT_OR_NULL } from './schema.ts';

/** Roles, least first; each includes the permissions of the roles before it (spec, Roles). */
export const ROLES = [
  'viewer',
  'submitter',
  'reviewer',
  'cab-member',
  'change-manager',
  'admin',
] as const;
export type Role = (typeof ROLES)[number];

/** Values of SERVICE_SESSION_DECISIONS: the least role whose sessions override and approve. */
export const SESSION_DECISIONS = ['admin', 'cab-member'] as const;
export type SessionDecisions = (typeof SESSION_DECISIONS)[number];

/** How a caller proved its identity. `open` is dev mode: authentication is switched off. */
const CREDENTIALS = [
  'open',
  'api-token',
  'override-token',
  'agent-token',
  'oidc',
  'session',
  'webhook',
  'local',
] as const;

/** The authenticated caller. Every record and every decision names one. */
export const PRINCIPAL = {
  type: 'object',
  required: ['id', 'name', 'credential', 'role', 'tenant_id'],
  properties: {
    // Stable: token label, `sub` claim, `dev-mode`; never a secret.
    id: TEXT,
    name: TEXT_OR_NULL,
    // The claim of a person's token (spec, OIDC / JWT); absent without one.
    email: TEXT,
    credential: { type: 'string', enum: [...CREDENTIALS] },
    role: { type: 'string', enum: [...ROLES] },
    tenant_id: TEXT,
  },
  additionalProperties: false,
} as const;
export type Principal = Static<typeof PRINCIPAL>;

/** What API tokens may be bound to. */
export const BOUND_KINDS = ['environments', 'repos'] as const;
export type BoundKind = (typeof BOUND_KINDS)[number];

/** Names, in lower case, that the token of each label may use; a kind left out is not bound. */
export type TokenBounds = Readonly<
  Record<string, { readonly [Kind in BoundKind]?: readonly string[] }>
>;

/** The tenant of single-tenant installations. */
export const DEFAULT_TENANT = 'default';

/** Whether `role` includes the permissions of `needed`. */
export function roleIncludes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** A browser session at rest. Times are ISO 8601, UTC. */
export interface StoredSession {
  /** SHA-256 (hex) of the value of the cookie, which is kept nowhere. */
  session_id: string;
  principal: Principal;
  created_at: string;
  last_seen_at: string;
  /** When it ends, used or not; the store may delete it from then on. */
  expires_at: string;
}

/** A login event for the log and the audit trail. */
export interface LoginEvent {
  event: 'login' | 'login failed' | 'logout';
  how: 'oidc' | 'password' | 'link' | 'session';
  /** Null: nobody that is known. */
  principal: Principal | null;
  /** Why it failed, for the log; never a part of a credential. */
  reason: string | null;
  remoteAddress: string;
}

/**
 * By what two e-mail addresses are compared: upper and lower case, characters that nobody sees,
 * other forms of letters, `<...>`, `mailto:`, a final dot and what stands behind `+` make no
 * difference. It serves refusals alone: to take two for one lets nobody pass.
 */
export function plainAddress(email: string): string {
  const text = email
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\s]/gu, '')
    .toLowerCase();
  const bare = text
    .replace(/^<(.*)>$/, '$1')
    .replace(/^mailto:/, '')
    .replace(/\.+$/, '');
  return bare.replace(/^([^+@]+)\+[^@]*@/, '$1@');
}

/** Names an address without saying it: what git has as one may be anything, a secret too. */
export function addressDigest(email: string): string {
  const digest = createHash('sha256').update(plainAddress(email)).digest('hex');
  return digest.slice(0, ADDRESS_HEX_DIGITS);
}

const ADDRESS_HEX_DIGITS = 32;
